//! What is kept of values, as plainly as can be.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ResourceName, User};
use wearlab_store::{SampleFilter, Store, TeamId};

use super::naive::{Model, Series, holds, text};

/// A series of one source, which is the text of its JSON.
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

/// What is deleted: whether a value is, by its time or its summary.
type IsDeleted<'a> = &'a dyn Fn(Option<DateTime<Utc>>, Option<(Uuid, &str)>) -> bool;

impl Values {
    /// Values as events and reads have them. Those of cycles that say what was said before are as they were then.
    pub(super) fn completed(&self, person: &User, fields: &Value, values: Value, now: DateTime<Utc>) -> Value {
        let complete = |value: Value| match &*text(&fields["resource"]) {
            "steps" => with(value, json!({"unit": "count"})),
            "heartrate" => with(value, json!({"unit": "bpm"})),
            "sleep_cycle" => self.cycle(person, fields, value, now),
            _ => value,
        };
        let Value::Array(values) = values else { panic!("a list") };
        values.into_iter().map(complete).collect()
    }

    fn cycle(&self, person: &User, fields: &Value, value: Value, now: DateTime<Utc>) -> Value {
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
            whole["created_at"] = before.value["created_at"].clone();
            let same = json!({"updated_at": null});
            if with(whole.clone(), same.clone()) == with(before.value.clone(), same) {
                return before.value.clone();
            }
        }
        whole
    }

    /// Keeps completed values, each of a day.
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

    /// Deletes of a series, and of one source or of all. Returns how many.
    fn delete(&mut self, series: &Series, source: Option<&Value>, is_deleted: IsDeleted<'_>) -> usize {
        let source = source.map(Value::to_string);
        let is_of = |of: &OfSource| of.0 == *series && source.as_ref().is_none_or(|source| of.1 == *source);
        let mut count = 0;
        for (of, samples) in &mut self.samples {
            let before = samples.len();
            samples.retain(|time, _| !(is_of(of) && is_deleted(Some(*time), None)));
            count += before - samples.len();
        }
        let before = self.summaries.len();
        self.summaries
            .retain(|(_, id), summary| !(is_of(&summary.of) && is_deleted(None, Some((*id, &summary.day)))));
        count + before - self.summaries.len()
    }

    /// Panics unless the reads of a store show a user's values: samples in pages, summaries by day.
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
    /// Data are deleted: one cycle, those of days, or the samples of a span.
    pub(super) fn deleted(&mut self, person: &User, fields: &Value, now: DateTime<Utc>) -> Option<&'static str> {
        let user = person.user_id;
        let [provider, resource] = ["provider", "resource"].map(|name| text(&fields[name]));
        let connection = self.connections.get(&(user, provider.clone()))?.shown.clone();
        let series = (user, provider.clone(), resource.clone());
        let source = fields.get("source");
        let day_of = |time: DateTime<Utc>| time.date_naive();
        let said = |names: &[&str]| -> Value {
            let said = names.iter().map(|name| ((*name).to_owned(), fields[*name].clone()));
            said.collect()
        };
        let (count, days, deleted) = if let Some(id) = fields.get("id") {
            let id = uuid(id);
            let day = self
                .values
                .summaries
                .get(&(user, id))
                .map(|summary| summary.day.clone());
            let is_deleted =
                |_: Option<DateTime<Utc>>, summary: Option<(Uuid, &str)>| summary.is_some_and(|(found, _)| found == id);
            let count = self.values.delete(&series, source, &is_deleted);
            (count, [day.clone(), day], said(&["id"]))
        } else if let Some(first) = fields.get("start_date") {
            let (first, last) = (text(first), text(&fields["end_date"]));
            let is_deleted = |_: Option<DateTime<Utc>>, summary: Option<(Uuid, &str)>| {
                summary.is_some_and(|(_, day)| *first <= *day && *day <= *last)
            };
            let count = self.values.delete(&series, source, &is_deleted);
            let days = [Some(first.clone()), Some(last.clone())];
            (count, days, said(&["start_date", "end_date"]))
        } else {
            let (start, end) = (time(&fields["start"]), time(&fields["end"]));
            let is_deleted = |time: Option<DateTime<Utc>>, _: Option<(Uuid, &str)>| {
                time.is_some_and(|time| start <= time && time < end)
            };
            let count = self.values.delete(&series, source, &is_deleted);
            // Where the user is, it may be the day before or after.
            let days = [day_of(start) - TimeDelta::days(1), day_of(end) + TimeDelta::days(1)];
            (count, days.map(|day| Some(day.to_string())), said(&["start", "end"]))
        };
        if count == 0 {
            return Some("Known");
        }
        let [first, last] = days.map(|day| day.expect("a day"));
        let text = source.map(Value::to_string);
        for ((of, day), sources) in &mut self.days {
            if *of == series && first <= *day && *day <= last {
                sources.retain(|kept, _| text.as_ref().is_some_and(|source| kept != source));
            }
        }
        let any = json!({});
        let mut shown = with(
            json!({"provider": provider, "type": "unknown", "app_id": null}),
            source.unwrap_or(&any).clone(),
        );
        if holds(self.forms.source_details, now) {
            for name in ["name", "logo", "slug"] {
                shown[name] = connection[name].clone();
            }
        }
        let data = json!({"data": [deleted], "source": shown});
        self.tell(person, &format!("daily.data.{resource}.deleted"), data, now);
        Some("Taken")
    }
}

/// An object with members in place of or beside its own.
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
