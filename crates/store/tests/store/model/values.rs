//! Naive model of stored values.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ResourceName, User};
use wearlab_store::{SampleFilter, Store, TeamId};

use super::naive::{Model, Series, holds, text};

/// A series with the JSON text of a source.
type OfSource = (Series, String);

#[derive(Default)]
pub(super) struct Values {
    samples: BTreeMap<OfSource, BTreeMap<DateTime<Utc>, Value>>,
    summaries: BTreeMap<(Uuid, Uuid), Summary>,
}

struct Summary {
    of: OfSource,
    day: String,
    value: Value,
}

/// Predicate of a deletion, by the time of a sample or the id and day of a summary.
type IsDeleted<'a> = &'a dyn Fn(Option<DateTime<Utc>>, Option<(Uuid, &str)>) -> bool;

/// Adds the fields to values that only events and reads have.
pub(super) fn in_event(resource: &str, mut values: Value) -> Value {
    for value in values.as_array_mut().expect("a list") {
        match resource {
            "steps" => {
                for end in ["start", "end"] {
                    value[end] = value["timestamp"].clone();
                }
            }
            "sleep_cycle" => {
                value["source_provider"] = value["source"]["provider"].clone();
                value["source_type"] = value["source"]["type"].clone();
            }
            _ => {}
        }
    }
    values
}

impl Values {
    /// Returns values in the form of events and reads. Unchanged cycles keep their stored form. None if a cycle has the
    /// id of a cycle of another provider.
    pub(super) fn completed(&self, person: &User, fields: &Value, values: Value, now: DateTime<Utc>) -> Option<Value> {
        let complete = |value: Value| match &*text(&fields["resource"]) {
            "steps" => Some(with(value, json!({"unit": "count"}))),
            "heartrate" => Some(with(value, json!({"unit": "bpm"}))),
            "sleep_cycle" => self.cycle(person, fields, value, now),
            _ => Some(value),
        };
        let Value::Array(values) = values else { panic!("a list") };
        values.into_iter().map(complete).collect()
    }

    fn cycle(&self, person: &User, fields: &Value, value: Value, now: DateTime<Utc>) -> Option<Value> {
        let source = with(
            json!({"provider": fields["provider"], "type": "unknown", "app_id": null}),
            fields["source"].clone(),
        );
        let began = time(&value["session_start"]);
        let stages = value["hypnogram"].as_array().expect("a list").clone();
        let column = |of: &dyn Fn(&Value) -> i64| stages.iter().map(of).collect::<Value>();
        let seconds = |time_of: &Value| (time(time_of) - began).num_seconds();
        let whole = json!({
            "user_id": person.user_id, "source": source, "created_at": now, "updated_at": now,
            "stage_start_offset_second": column(&|stage| seconds(&stage["start"])),
            "stage_end_offset_second": column(&|stage| seconds(&stage["end"])),
            "stage_type": column(&|stage| if stage["stage"] == "deep" { 1 } else { 2 }),
        });
        let mut whole = with(value, whole);
        if let Some(before) = self.summaries.get(&(person.user_id, uuid(&whole["id"]))) {
            if before.of.0.1 != text(&fields["provider"]) {
                return None;
            }
            whole["created_at"] = before.value["created_at"].clone();
            let same = json!({"updated_at": null});
            if with(whole.clone(), same.clone()) == with(before.value.clone(), same) {
                return Some(before.value.clone());
            }
        }
        Some(whole)
    }

    /// Returns whether completed values of a day are stored unchanged.
    pub(super) fn are_kept(&self, series: &Series, fields: &Value, day: &str, values: &Value) -> bool {
        let of = (series.clone(), fields["source"].to_string());
        values.as_array().expect("a list").iter().all(|value| match &*series.2 {
            "sleep_cycle" => self
                .summaries
                .get(&(series.0, uuid(&value["id"])))
                .is_some_and(|summary| summary.of == of && summary.day == day && summary.value == *value),
            "hypnogram" => true,
            _ => {
                let samples = self.samples.get(&of);
                samples.and_then(|samples| samples.get(&time(&value["timestamp"]))) == Some(value)
            }
        })
    }

    /// Returns whether there is a stored value at the same place. Some resources store nothing.
    pub(super) fn has(&self, series: &Series, fields: &Value, value: &Value) -> bool {
        let of = (series.clone(), fields["source"].to_string());
        match &*series.2 {
            "sleep_cycle" => self.summaries.contains_key(&(series.0, uuid(&value["id"]))),
            "hypnogram" => true,
            _ => {
                let samples = self.samples.get(&of);
                samples.is_some_and(|samples| samples.contains_key(&time(&value["timestamp"])))
            }
        }
    }

    /// Returns the stored value at the place of a value.
    pub(super) fn stored(&self, series: &Series, source: &Value, value: &Value) -> Option<Value> {
        if series.2 == "sleep_cycle" {
            let summary = self.summaries.get(&(series.0, uuid(&value["id"])));
            return summary.map(|summary| summary.value.clone());
        }
        let samples = self.samples.get(&(series.clone(), source.to_string()))?;
        samples.get(&time(&value["timestamp"])).cloned()
    }

    /// Stores completed values of a day.
    pub(super) fn keep(&mut self, series: &Series, source: &Value, day: &str, values: &Value) {
        for value in values.as_array().expect("a list") {
            let of = (series.clone(), source.to_string());
            if series.2 == "sleep_cycle" {
                let (day, value) = (day.to_owned(), value.clone());
                let key = (series.0, uuid(&value["id"]));
                self.summaries.insert(key, Summary { of, day, value });
            } else if series.2 != "hypnogram" {
                let samples = self.samples.entry(of).or_default();
                samples.insert(time(&value["timestamp"]), value.clone());
            }
        }
    }

    pub(super) fn forget(&mut self, user: Uuid) {
        self.samples.retain(|key, _| key.0.0 != user);
        self.summaries.retain(|key, _| key.0 != user);
    }

    /// Deletes values of a series, of one source or of all. Returns the sources of the deleted values.
    fn delete(&mut self, series: &Series, source: Option<&Value>, is_deleted: IsDeleted<'_>) -> BTreeSet<String> {
        let source = source.map(Value::to_string);
        let is_of = |of: &OfSource| of.0 == *series && source.as_ref().is_none_or(|source| of.1 == *source);
        let mut gone = BTreeSet::new();
        for (of, samples) in &mut self.samples {
            samples.retain(|time, _| {
                let goes = is_of(of) && is_deleted(Some(*time), None);
                goes.then(|| gone.insert(of.1.clone()));
                !goes
            });
        }
        self.summaries.retain(|(_, id), summary| {
            let goes = is_of(&summary.of) && is_deleted(None, Some((*id, &summary.day)));
            goes.then(|| gone.insert(summary.of.1.clone()));
            !goes
        });
        gone
    }

    /// Returns the days with values of a series. Those of samples are the same at each offset of the model.
    pub(super) fn days(&self, series: &Series) -> BTreeSet<String> {
        let samples = self.samples.iter().filter(|(of, _)| of.0 == *series);
        let samples = samples.flat_map(|(_, samples)| samples.keys());
        let samples = samples.map(|time| (*time + TimeDelta::hours(2)).date_naive().to_string());
        let summaries = self.summaries.values().filter(|summary| summary.of.0 == *series);
        samples.chain(summaries.map(|summary| summary.day.clone())).collect()
    }

    /// Panics unless reads of a store return a user's values: samples in pages, summaries by day.
    pub(super) async fn assert_shown(&self, store: &Store, team: TeamId, user: Uuid) {
        let team_store = store.team(team);
        for name in ["steps", "heartrate"] {
            let resource = ResourceName::from(name);
            let mut found: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
            let mut after = None;
            loop {
                let filter = SampleFilter {
                    resource: &resource,
                    span: i64::MIN / 2..i64::MAX / 2,
                    provider: None,
                    after: after.as_ref(),
                };
                let page = team_store.samples(user, &filter, 2).await;
                let page = page.expect("reads").expect("the user");
                for group in page.groups {
                    let of_source = found
                        .entry((group.provider, json!(group.source).to_string()))
                        .or_default();
                    for sample in group.samples {
                        let mut json = Vec::new();
                        sample.write(&mut json);
                        of_source.push(serde_json::from_slice(&json).expect("JSON"));
                    }
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            let of_user = self.samples.iter().filter(|(of, samples)| {
                let is_of = of.0.0 == user && of.0.2 == name;
                is_of && !samples.is_empty()
            });
            let expected: BTreeMap<_, _> = of_user
                .map(|((series, source), samples)| {
                    let values: Vec<Value> = samples.values().cloned().collect();
                    ((series.1.clone(), source.clone()), values)
                })
                .collect();
            assert_eq!(found, expected, "{name} of {user}");
        }
        for (provider, days) in [
            (None, ["2026-01-01", "2026-12-31"]),
            (Some("pulsely"), ["2026-05-02", "2026-05-03"]),
        ] {
            let [first, last] = days.map(|day| day.parse::<NaiveDate>().expect("a day"));
            let found = team_store.summaries::<Value>(user, &ResourceName::SleepCycle, first..=last, provider);
            let found = found.await.expect("reads").expect("the user");
            let mut expected: Vec<_> = (self.summaries.iter())
                .filter(|((owner, _), summary)| {
                    let is_in = (days[0]..=days[1]).contains(&summary.day.as_str());
                    *owner == user && is_in && provider.is_none_or(|provider| summary.of.0.1 == provider)
                })
                .map(|((_, id), summary)| {
                    let start = time(&summary.value["session_start"]);
                    (&summary.day, start, id, &summary.value)
                })
                .collect();
            expected.sort_by(|one, next| (one.0, one.1, one.2).cmp(&(next.0, next.1, next.2)));
            let expected: Vec<_> = expected.into_iter().map(|(.., value)| value.clone()).collect();
            assert_eq!(crate::world::all(&found), expected, "cycles of {user}");
        }
    }
}

impl Model {
    /// Deletes data: one cycle, the cycles of some days, or the samples of a span.
    pub(super) fn deleted(&mut self, person: &User, fields: &Value, now: DateTime<Utc>) -> Option<&'static str> {
        let user = person.user_id;
        let [provider, resource] = ["provider", "resource"].map(|name| text(&fields[name]));
        let connection = self.connections.get(&(user, provider.clone()))?.shown.clone();
        let series = (user, provider.clone(), resource.clone());
        let source = fields.get("source");
        let said = |names: &[&str]| -> Value {
            let said = names.iter().map(|name| ((*name).to_owned(), fields[*name].clone()));
            said.collect()
        };
        let (gone, deleted) = if let Some(id) = fields.get("id") {
            let id = uuid(id);
            let is_deleted =
                |_: Option<DateTime<Utc>>, summary: Option<(Uuid, &str)>| summary.is_some_and(|(found, _)| found == id);
            (self.values.delete(&series, source, &is_deleted), said(&["id"]))
        } else if let Some(first) = fields.get("start_date") {
            let (first, last) = (text(first), text(&fields["end_date"]));
            let is_deleted = |_: Option<DateTime<Utc>>, summary: Option<(Uuid, &str)>| {
                summary.is_some_and(|(_, day)| *first <= *day && *day <= *last)
            };
            let gone = self.values.delete(&series, source, &is_deleted);
            (gone, said(&["start_date", "end_date"]))
        } else {
            let (start, end) = (time(&fields["start"]), time(&fields["end"]));
            let is_deleted = |time: Option<DateTime<Utc>>, _: Option<(Uuid, &str)>| {
                time.is_some_and(|time| start <= time && time < end)
            };
            let gone = self.values.delete(&series, source, &is_deleted);
            (gone, said(&["start", "end"]))
        };
        if gone.is_empty() {
            return Some("Duplicate");
        }
        for source in gone {
            // Of the last data with any date, only the time zones remain.
            let lines = self.lines.iter_mut().filter(|((of, _), _)| *of == series);
            for line in lines.filter_map(|(_, sources)| sources.get_mut(&source)) {
                (line.came, line.latest) = (Value::Null, None);
            }
            let source = serde_json::from_str(&source).expect("JSON");
            let mut shown = with(json!({"provider": provider, "type": "unknown", "app_id": null}), source);
            if holds(self.forms.source_details, now) {
                for name in ["name", "logo", "slug"] {
                    shown[name] = connection[name].clone();
                }
            }
            let data = json!({"data": [deleted], "source": shown});
            self.tell(person, &format!("daily.data.{resource}.deleted"), data, now);
        }
        Some("Taken")
    }
}

/// Returns an object in which members of `more` replace or extend its own.
fn with(mut value: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("an object") };
    value.as_object_mut().expect("an object").extend(more);
    value
}

fn time(value: &Value) -> DateTime<Utc> {
    text(value).parse().expect("a time")
}

fn uuid(value: &Value) -> Uuid {
    text(value).parse().expect("an id")
}
