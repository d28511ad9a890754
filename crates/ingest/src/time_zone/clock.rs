//! Comparison of values by their local times, in any time zone.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, FixedOffset, NaiveDateTime};
use wearlab_models::ResourceName;

use super::local::local;
use crate::kept::times_of;
use crate::{ExactObject, ExactValue, Sample};

/// Members of a stored summary that the service sets.
const SERVICE_MEMBERS: [&str; 4] = ["id", "source", "created_at", "updated_at"];

/// Stored summaries, by their local times.
pub struct SummariesByClock {
    /// Member with the time of the lookup.
    time: &'static str,
    /// Summaries by that time.
    stored: BTreeMap<Option<String>, Vec<Members>>,
}

/// Members by their names, in normal form.
type Members = HashMap<String, String>;

impl SummariesByClock {
    /// Returns the index of some summaries of a resource.
    pub fn new(resource: &ResourceName, summaries: &[ExactObject]) -> Self {
        let time = times_of(resource).first().copied().unwrap_or_default();
        let mut stored: BTreeMap<_, Vec<Members>> = BTreeMap::new();
        for summary in summaries {
            let members: Members = summary
                .iter()
                .map(|(name, value)| (name.to_owned(), canonical(value)))
                .collect();
            stored.entry(members.get(time).cloned()).or_default().push(members);
        }
        Self { time, stored }
    }

    /// Returns true if a stored summary has all members of one that arrived, with the same local times.
    pub fn contains(&self, arrived: &ExactObject) -> bool {
        let members = arrived
            .iter()
            .filter(|(name, value)| **value != ExactValue::Null && !SERVICE_MEMBERS.contains(name));
        let members: Vec<_> = members.map(|(name, value)| (name, canonical(value))).collect();
        let is_same = |stored: &Members| {
            let mut members = members.iter();
            members.all(|(name, value)| stored.get(*name) == Some(value))
        };
        match members.iter().find(|(name, _)| *name == self.time) {
            Some((_, time)) => self
                .stored
                .get(&Some(time.clone()))
                .is_some_and(|found| found.iter().any(is_same)),
            None => self.stored.values().flatten().any(is_same),
        }
    }
}

fn canonical(value: &ExactValue) -> String {
    let mut text = String::new();
    by_clock(value).push_canonical(&mut text);
    text
}

/// Returns a value whose times have no offset, without members that are null.
fn by_clock(value: &ExactValue) -> ExactValue {
    match value {
        ExactValue::String(text) => ExactValue::String(clock_time(text).map_or_else(
            || text.clone(),
            // Times are stored to the microsecond.
            |time| time.format("%Y-%m-%dT%H:%M:%S%.6f").to_string(),
        )),
        ExactValue::Array(values) => ExactValue::Array(values.iter().map(by_clock).collect()),
        ExactValue::Object(object) => {
            let mut of_clock = ExactObject::default();
            let members = object.iter().filter(|(_, value)| **value != ExactValue::Null);
            members.for_each(|(name, value)| of_clock.push(name.to_owned(), by_clock(value)));
            ExactValue::Object(of_clock)
        }
        other => other.clone(),
    }
}

fn clock_time(text: &str) -> Option<NaiveDateTime> {
    let with_offset = || {
        text.parse::<DateTime<FixedOffset>>()
            .ok()
            .map(|time| time.naive_local())
    };
    local(text).or_else(with_offset)
}

impl Sample {
    /// Returns the sample with its local times, as if these were in UTC.
    #[must_use]
    pub fn by_clock(&self) -> Self {
        let shift = i64::from(self.offset) * 1_000_000;
        Self {
            time: self.time.saturating_add(shift),
            offset: 0,
            span: self
                .span
                .map(|(start, end)| (start.saturating_add(shift), end.saturating_add(shift))),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use wearlab_models::ResourceName;

    use super::SummariesByClock;
    use crate::{ExactObject, ExactValue};

    fn object(json: &str) -> ExactObject {
        match ExactValue::read(json) {
            Ok(ExactValue::Object(object)) => object,
            _ => panic!("an object"),
        }
    }

    #[test]
    fn a_summary_is_the_same_in_any_time_zone() {
        let stored = object(
            r#"{"id": "1", "session_start": "2026-05-01T22:00:00+09:00", "score": 7, "list": [{"at": "2026-05-01T23:00:00Z"}]}"#,
        );
        let other = object(r#"{"session_start": "2026-05-01T21:00:00+09:00", "score": 8}"#);
        let stored = SummariesByClock::new(&ResourceName::SleepCycle, &[stored, other]);
        for (arrived, is_same) in [
            (r#"{"session_start": "2026-05-01T22:00:00", "score": 7}"#, true),
            (r#"{"session_start": "2026-05-01 22:00:00", "gone": null}"#, true),
            (r#"{"list": [{"at": "2026-05-01T23:00:00", "gone": null}]}"#, true),
            (r#"{"session_start": "2026-05-01T22:00:01"}"#, false),
            (r#"{"session_start": "2026-05-01T22:00:00", "score": 8}"#, false),
            (r#"{"more": 1}"#, false),
            (r#"{"score": 8}"#, true),
            (r#"{"session_start": "2026-05-01T21:00:00", "score": 8}"#, true),
            (r#"{"session_start": "2026-05-01T21:00:00", "score": 7}"#, false),
        ] {
            assert_eq!(stored.contains(&object(arrived)), is_same, "{arrived}");
        }
    }
}
