//! Partitions of a table by day, so that old rows are dropped by the day.

use super::session::Session;
use crate::connection::Failure;
use crate::error::DatabaseError;
use crate::partitioned::Partitioned;

/// A day in nanoseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000_000_000;

/// Returns the day of a point in time.
pub(super) fn of(created_on: i64) -> i64 {
    created_on.div_euclid(DAY)
}

/// Returns a query of whether the partition of a day exists.
pub(super) fn exists(table: &str, day: i64) -> String {
    format!(
        "SELECT to_regclass(quote_ident(current_schema()) || '.{}') IS NOT NULL",
        name(table, day)
    )
}

/// Returns the statements that create the partition of a day. Creating and attaching are two steps, so that readers of
/// the table are not blocked.
pub(super) fn make(table: &str, day: i64) -> String {
    let bound = |day: i64, beyond: &str| {
        let bound = day.checked_mul(DAY);
        bound.map_or_else(|| beyond.to_owned(), |bound| bound.to_string())
    };
    format!(
        "CREATE TABLE {name} (LIKE {table} INCLUDING INDEXES);
        ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ({from}) TO ({to})",
        name = name(table, day),
        from = bound(day, "MINVALUE"),
        to = bound(day + 1, "MAXVALUE"),
    )
}

fn name(table: &str, day: i64) -> String {
    let sign = if day < 0 { "before_" } else { "" };
    format!("{table}_{sign}{}", day.unsigned_abs())
}

/// Parses the day from the name of a partition.
fn day(table: &str, name: &str) -> Option<i64> {
    let number = name.strip_prefix(table)?.strip_prefix('_')?;
    match number.strip_prefix("before_") {
        Some(number) => number.parse::<i64>().ok().map(|day| -day),
        None => number.parse().ok(),
    }
}

/// Drops partitions of days that ended before a time, if none of their rows is needed. Returns the number of dropped
/// rows, and the number of the last one.
pub(super) fn drop_old(session: &Session<'_>, of: &Partitioned, before: i64) -> Result<(usize, i64), Failure> {
    let mut old = Vec::new();
    for name in session.query_unprepared::<String>(&partitions(of.table))? {
        let Some(day) = day(of.table, &name) else { continue };
        let end = day.saturating_add(1).saturating_mul(DAY);
        let is_needed = of.is_needed.replace("{partition}", &name);
        if end <= before && !session.query_unprepared(&is_needed)?.contains(&true) {
            old.push(day);
        }
    }
    if old.is_empty() {
        return Ok((0, 0));
    }
    session.execute_unprepared("SAVEPOINT days")?;
    match drop_all(session, of, &old) {
        // A long reader of the table, such as a copy of it, holds the lock. Waiting for it would block all others.
        Err(Failure::Other(DatabaseError::Busy)) => {
            session.execute_unprepared("ROLLBACK TO days")?;
            Ok((0, 0))
        }
        dropped => {
            let gone = dropped?;
            session
                .responses
                .server
                .cached_partitions()
                .retain(|(table, day)| *table != of.table || !old.contains(day));
            Ok(gone)
        }
    }
}

/// Returns a query of the existing partitions.
fn partitions(table: &str) -> String {
    format!(
        "SELECT CAST(pg_class.relname AS TEXT) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = CAST('{table}' AS REGCLASS)"
    )
}

/// Drops partitions, unless a reader of the table blocks it.
fn drop_all(session: &Session<'_>, of: &Partitioned, days: &[i64]) -> Result<(usize, i64), Failure> {
    let (mut gone, mut last) = (0, 0);
    for name in days.iter().map(|day| name(of.table, *day)) {
        for dependent in of.dependents {
            session.execute_unprepared(&format!(
                "DELETE FROM {dependent} WHERE number IN (SELECT number FROM {name})"
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
    for name in days.iter().map(|day| name(of.table, *day)) {
        session.execute_unprepared(&format!("DROP TABLE {name}"))?;
    }
    session.execute_unprepared("SET LOCAL lock_timeout TO DEFAULT")?;
    Ok((gone, last))
}

#[cfg(test)]
mod tests {
    use super::{day, make, name, of};

    #[test]
    fn every_moment_has_a_day() {
        for moment in [i64::MIN, -1, 0, 1, 86_399_999_999_999, 86_400_000_000_000, i64::MAX] {
            let of = of(moment);
            assert_eq!(day("events", &name("events", of)), Some(of), "{moment}");
            assert!(make("events", of).contains(&name("events", of)));
        }
        assert_eq!(of(-1), -1);
        assert!(make("events", of(i64::MIN)).contains("FROM (MINVALUE) TO (-9223286400000000000)"));
        assert!(make("events", of(i64::MAX)).contains("FROM (9223286400000000000) TO (MAXVALUE)"));
        assert_eq!(day("events", "events_default"), None);
    }
}
