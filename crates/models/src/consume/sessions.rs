//! Derives sleep cycles from a hypnogram.

use chrono::{TimeDelta, Utc};

use super::loss::Loss;
use crate::{HypnogramEntry, JsonObject, SleepCycle, Uuid};

/// The longest pause within a session, a usual estimate. A longer one begins another session.
const PAUSE: TimeDelta = TimeDelta::hours(1);

/// The stages of each session, in their order.
pub(super) fn sleep_cycles(
    user_id: Uuid,
    provider: &str,
    stages: Vec<HypnogramEntry>,
    losses: &mut Vec<Loss>,
) -> Vec<SleepCycle> {
    let mut cycles: Vec<SleepCycle> = Vec::new();
    for stage in stages {
        match cycles.last_mut() {
            Some(cycle) if follows(cycle, &stage) => {
                cycle.session_start = cycle.session_start.min(stage.start);
                cycle.session_end = cycle.session_end.max(stage.end);
                cycle.hypnogram.push(stage);
            }
            _ => cycles.push(SleepCycle {
                id: String::new(),
                session_start: stage.start,
                session_end: stage.end,
                hypnogram: vec![stage],
                extra: JsonObject::new(),
            }),
        }
    }
    for cycle in &mut cycles {
        cycle.id = id(user_id, provider, cycle);
    }
    if !cycles.is_empty() {
        losses.extend([Loss::Sessions, Loss::SleepCycleIds]);
    }
    cycles
}

/// Returns whether a stage is at most a pause away from a session, before or after it.
fn follows(cycle: &SleepCycle, stage: &HypnogramEntry) -> bool {
    stage.start.signed_duration_since(cycle.session_end) <= PAUSE
        && cycle.session_start.signed_duration_since(stage.end) <= PAUSE
}

/// Derives an id from user, provider and start, which shows none of them: ids go to logs.
fn id(user_id: Uuid, provider: &str, cycle: &SleepCycle) -> String {
    let start = cycle.session_start.with_timezone(&Utc).to_rfc3339();
    let name = format!("sleep_cycle/{provider}/{start}");
    format!("hypnogram-{}", Uuid::new_v5(&user_id, name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::sleep_cycles;
    use crate::{HypnogramEntry, SleepCycle, Uuid};

    /// Stages, each from one time to another of a night.
    fn stages(times: &[(&str, &str)]) -> Vec<HypnogramEntry> {
        let stage = |(start, end): &(&str, &str)| {
            let text = format!(r#"{{"start":"2024-08-31T{start}","end":"2024-08-31T{end}","stage":"light"}}"#);
            serde_json::from_str(&text).expect("a stage")
        };
        times.iter().map(stage).collect()
    }

    fn cycles(times: &[(&str, &str)]) -> Vec<SleepCycle> {
        sleep_cycles(Uuid::from_u128(7), "stridewell", stages(times), &mut Vec::new())
    }

    #[test]
    fn a_session_ends_where_no_stage_follows_within_an_hour() {
        type Row = (&'static [(&'static str, &'static str)], &'static [usize]);
        let table: &[Row] = &[
            (&[], &[]),
            (&[("01:00:00Z", "02:00:00Z")], &[1]),
            (&[("01:00:00Z", "02:00:00Z"), ("02:00:00Z", "03:00:00Z")], &[2]),
            (&[("01:00:00Z", "02:00:00Z"), ("03:00:00Z", "04:00:00Z")], &[2]),
            (&[("01:00:00Z", "02:00:00Z"), ("03:00:01Z", "04:00:00Z")], &[1, 1]),
            // The same times, elsewhere.
            (
                &[("01:00:00Z", "02:00:00Z"), ("03:00:00+01:00", "04:00:00+01:00")],
                &[2],
            ),
            // A short stage within a long one does not end it.
            (
                &[
                    ("01:00:00Z", "05:00:00Z"),
                    ("01:10:00Z", "01:20:00Z"),
                    ("05:30:00Z", "06:00:00Z"),
                ],
                &[3],
            ),
            // Those of another source begin separately.
            (&[("08:00:00Z", "09:00:00Z"), ("01:00:00Z", "02:00:00Z")], &[1, 1]),
            (&[("02:00:00Z", "03:00:00Z"), ("01:00:00Z", "02:00:00Z")], &[2]),
        ];
        for (times, expected) in table {
            let found: Vec<_> = cycles(times).iter().map(|cycle| cycle.hypnogram.len()).collect();
            assert_eq!(found, *expected, "{times:?}");
        }
    }

    #[test]
    fn a_session_has_the_bounds_of_its_stages() {
        let found = cycles(&[
            ("02:00:00Z", "03:30:00Z"),
            ("01:00:00Z", "02:00:00Z"),
            ("03:00:00Z", "03:20:00Z"),
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].session_start.to_rfc3339(), "2024-08-31T01:00:00+00:00");
        assert_eq!(found[0].session_end.to_rfc3339(), "2024-08-31T03:30:00+00:00");
    }

    #[test]
    fn ids_are_of_user_provider_and_start() {
        let id = |user, provider, times| {
            sleep_cycles(Uuid::from_u128(user), provider, stages(times), &mut Vec::new())[0]
                .id
                .clone()
        };
        let one = [("01:00:00Z", "02:00:00Z")];
        let own = id(7, "stridewell", &one);
        assert_eq!(
            own,
            id(7, "stridewell", &[("02:00:00+01:00", "05:00:00Z")]),
            "an update keeps it"
        );
        assert_ne!(own, id(8, "stridewell", &one));
        assert_ne!(own, id(7, "other", &one));
        assert_ne!(own, id(7, "stridewell", &[("01:00:01Z", "02:00:00Z")]));
        assert!(!own.contains("2024"), "{own} goes to logs");
    }

    #[test]
    fn times_at_the_ends_of_the_calendar_are_no_trouble() {
        let text = r#"[{"start":"-262143-01-01T00:00:00Z","end":"+262142-12-31T23:59:59Z","stage":"rem"},
            {"start":"+262142-12-31T23:59:59Z","end":"-262143-01-01T00:00:00Z","stage":"rem"}]"#;
        let stages: Vec<HypnogramEntry> = serde_json::from_str(text).expect("stages");
        let cycles = sleep_cycles(Uuid::nil(), "p", stages, &mut Vec::new());
        assert_eq!(cycles.len(), 1);
    }
}
