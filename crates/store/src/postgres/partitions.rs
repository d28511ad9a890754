//! Partitions of the event log by day, so that old events are dropped by the day.

use crate::StoreError;
use crate::sql::connection::Failure;

use super::session::Session;

/// A day in nanoseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000_000_000;

/// Returns the day of a point in time.
pub(super) fn of(created_on: i64) -> i64 {
    created_on.div_euclid(DAY)
}

/// Returns a query of whether the partition of a day exists.
pub(super) fn exists(day: i64) -> String {
    format!(
        "SELECT to_regclass(quote_ident(current_schema()) || '.{}') IS NOT NULL",
        name(day)
    )
}

/// Returns the statements that create the partition of a day. Creating and attaching are two steps, so that readers of
/// the log are not blocked.
pub(super) fn make(day: i64) -> String {
    let bound = |day: i64, beyond: &str| {
        let bound = day.checked_mul(DAY);
        bound.map_or_else(|| beyond.to_owned(), |bound| bound.to_string())
    };
    format!(
        "CREATE TABLE {name} (LIKE events INCLUDING INDEXES);
        ALTER TABLE events ATTACH PARTITION {name} FOR VALUES FROM ({from}) TO ({to})",
        name = name(day),
        from = bound(day, "MINVALUE"),
        to = bound(day + 1, "MAXVALUE"),
    )
}

fn name(day: i64) -> String {
    let sign = if day < 0 { "before_" } else { "" };
    format!("events_{sign}{}", day.unsigned_abs())
}

/// Parses the day from the name of a partition.
fn day(name: &str) -> Option<i64> {
    let number = name.strip_prefix("events_")?;
    match number.strip_prefix("before_") {
        Some(number) => number.parse::<i64>().ok().map(|day| -day),
        None => number.parse().ok(),
    }
}

/// Drops partitions of days that ended before a time, if all their events were delivered to all destinations. Returns
/// the number of dropped events, and the last event number. Other days are pruned by rows, which are reported, and are
/// then dropped when they are empty.
pub(super) fn drop_old(session: &Session<'_>, before: i64) -> Result<(usize, i64), Failure> {
    let mut old = Vec::new();
    for name in session.query_unprepared::<String>(PARTS)? {
        let Some(day) = day(&name) else { continue };
        let end = day.saturating_add(1).saturating_mul(DAY);
        if end <= before && !session.query_unprepared(&wanted(day))?.contains(&true) {
            old.push(day);
        }
    }
    if old.is_empty() {
        return Ok((0, 0));
    }
    session.execute_unprepared("SAVEPOINT days")?;
    match drop_all(session, &old) {
        // A long reader of the log, such as a copy of it, holds the lock. Waiting for it would block all others.
        Err(Failure::Other(StoreError::Busy)) => {
            session.execute_unprepared("ROLLBACK TO days")?;
            Ok((0, 0))
        }
        dropped => {
            let gone = dropped?;
            session
                .responses
                .server
                .cached_partitions()
                .retain(|day| !old.contains(day));
            Ok(gone)
        }
    }
}

/// Query of the existing partitions.
const PARTS: &str = "SELECT CAST(pg_class.relname AS TEXT) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = CAST('events' AS REGCLASS)";

/// Drops partitions, unless a reader of the log blocks it.
fn drop_all(session: &Session<'_>, days: &[i64]) -> Result<(usize, i64), Failure> {
    let (mut gone, mut last) = (0, 0);
    for name in days.iter().map(|day| name(*day)) {
        for of_events in ["deliveries", "attempts"] {
            session.execute_unprepared(&format!(
                "DELETE FROM {of_events} WHERE number IN (SELECT number FROM {name})"
            ))?;
        }
        let count: Vec<i64> = session.query_unprepared(&format!("SELECT count(*) FROM {name}"))?;
        gone += count
            .into_iter()
            .filter_map(|count| usize::try_from(count).ok())
            .sum::<usize>();
        let numbers: Vec<i64> = session.query_unprepared(&format!("SELECT coalesce(max(number), 0) FROM {name}"))?;
        last = numbers.into_iter().fold(last, i64::max);
    }
    session.execute_unprepared("SET LOCAL lock_timeout = '100ms'")?;
    for name in days.iter().map(|day| name(*day)) {
        session.execute_unprepared(&format!("DROP TABLE {name}"))?;
    }
    session.execute_unprepared("SET LOCAL lock_timeout TO DEFAULT")?;
    Ok((gone, last))
}

/// Returns a query of whether any destination still needs an event of a day.
fn wanted(day: i64) -> String {
    let name = name(day);
    format!(
        "SELECT EXISTS (SELECT 1 FROM deliveries JOIN {name} USING (number)
                WHERE number BETWEEN (SELECT min(number) FROM {name}) AND (SELECT max(number) FROM {name}))
            OR EXISTS (SELECT 1 FROM destinations JOIN {name} AS part
                ON part.team_id = destinations.team_id AND part.number > destinations.cursor)"
    )
}

#[cfg(test)]
mod tests {
    use super::{day, make, name, of};

    #[test]
    fn every_moment_has_a_day() {
        for moment in [i64::MIN, -1, 0, 1, 86_399_999_999_999, 86_400_000_000_000, i64::MAX] {
            let of = of(moment);
            assert_eq!(day(&name(of)), Some(of), "{moment}");
            assert!(make(of).contains(&name(of)));
        }
        assert_eq!(of(-1), -1);
        assert!(make(of(i64::MIN)).contains("FROM (MINVALUE) TO (-9223286400000000000)"));
        assert!(make(of(i64::MAX)).contains("FROM (9223286400000000000) TO (MAXVALUE)"));
        assert_eq!(day("events_default"), None);
    }
}
