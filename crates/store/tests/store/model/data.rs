//! Data of days and of historical pulls, as plainly as can be.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::User;

use super::naive::{Model, Pull, Series, holds, text};
use super::values::in_event;

impl Model {
    pub(super) fn data(&mut self, person: &User, fields: &Value, now: DateTime<Utc>) -> Option<&'static str> {
        let user = person.user_id;
        let [provider, resource, date] = ["provider", "resource", "date"].map(|name| text(&fields[name]));
        let series = (user, provider.clone(), resource.clone());
        let connection = self.connections.get(&(user, provider.clone()))?.shown.clone();
        let hours = if person.fallback_time_zone.id == "Asia/Tokyo" {
            9
        } else {
            2
        };
        let read = |hours: i64| {
            let mut values = fields["data"].clone();
            with_offsets(&mut values, &format!("+{hours:02}:00"));
            values
        };
        if resource == "hypnogram" && !holds(self.forms.hypnogram_events, now) {
            return None;
        }
        let is_local = read(hours) != fields["data"];
        let values = self.values.completed(person, fields, read(hours), now);
        if let Some(pull) = fields.get("pull") {
            let key = (series, text(&pull["id"]));
            return self.chunk(person, key, (pull, is_local), fields, values?, hours, now);
        }
        if !wants(person, &date) {
            return Some("OutOfBounds");
        }
        // As they came: whoever moves gets no news by that.
        let came = json!([fields["data"], fields.get("raw")]);
        let known = self.days.get(&(series.clone(), date.clone()));
        if let Some(Some((before, hours))) = known.and_then(|sources| sources.get(&fields["source"].to_string()))
            && *before == came
        {
            let as_then = self.values.completed(person, fields, read(*hours), now)?;
            if self.values.are_kept(&series, fields, &as_then) {
                return Some("Known");
            }
        }
        let values = values?;
        let other = if resource == "hypnogram" {
            "sleep_cycle"
        } else {
            "hypnogram"
        };
        let other = ((series.0, series.1.clone(), other.to_owned()), date.clone());
        let has_other = self.days.get(&other).is_some_and(|sources| !sources.is_empty());
        let sources = self.days.entry((series, date)).or_default();
        let is_first = sources.is_empty();
        sources.insert(fields["source"].to_string(), Some((came, hours)));
        self.set_available(user, &provider, &resource);
        let kept = (user, provider.clone(), resource.clone());
        self.values
            .keep(&kept, &fields["source"], &text(&fields["date"]), &values);
        let mut source = json!({"provider": provider, "type": "unknown", "app_id": null});
        let given = fields["source"].as_object().expect("an object").clone();
        source.as_object_mut().expect("an object").extend(given);
        if holds(self.forms.source_details, now) {
            for name in ["name", "logo", "slug"] {
                source[name] = connection[name].clone();
            }
        }
        let verb = if is_first { "created" } else { "updated" };
        let data = |values: Value| {
            let mut data = json!({"data": values, "source": source});
            if let Some(raw) = fields.get("raw") {
                data["raw"] = raw.clone();
            }
            data
        };
        if resource != "hypnogram" {
            self.tell(
                person,
                &format!("daily.data.{resource}.{verb}"),
                data(in_event(&resource, values.clone())),
                now,
            );
        }
        if let Some(stages) = self.stages(&resource, &values, now) {
            // The stages of a night come as either resource.
            let verb = if has_other { "updated" } else { verb };
            self.tell(person, &format!("daily.timeseries.hypnogram.{verb}"), data(stages), now);
        }
        Some("Taken")
    }

    #[expect(clippy::too_many_arguments, reason = "all that a chunk is")]
    fn chunk(
        &mut self,
        person: &User,
        key: (Series, String),
        (chunk, is_local): (&Value, bool),
        fields: &Value,
        values: Value,
        hours: i64,
        now: DateTime<Utc>,
    ) -> Option<&'static str> {
        let [number, chunks] = ["chunk", "chunks"].map(|name| chunk[name].as_u64().expect("a number"));
        let (series, date) = (key.0.clone(), text(&fields["date"]));
        let (provider, resource) = (&series.1, &series.2);
        if number > chunks || self.pulls.get(&key).is_some_and(|pull| pull.chunks != chunks) {
            return None;
        }
        let pull = self.pulls.entry(key).or_insert_with(|| Pull {
            chunks,
            touched: now,
            ..Pull::default()
        });
        // Each chunk has one value.
        let day = day_of(resource, &values[0], hours);
        let wanted = wants(person, &day);
        if pull.arrived.contains_key(&number) {
            let has_moved = is_local && person.fallback_time_zone.updated_at > pull.touched;
            if has_moved || !wanted || self.values.has(&series, fields, &values[0]) {
                return Some("Known");
            }
            let is_whole = pull.is_whole();
            pull.again += usize::from(is_whole);
            return Some(self.chunk_again(person, &series, fields, values, day, is_whole, now));
        }
        pull.touched = now;
        if wanted {
            self.values.keep(&series, &fields["source"], &day, &values);
        }
        let mut days = vec![day];
        if wanted && wants(person, &date) {
            days.push(date);
        }
        pull.arrived.insert(number, (days.clone(), wanted.then_some(values)));
        let completed = pull.is_whole().then(|| {
            let all = pull.arrived.values();
            let kept: Vec<_> = all
                .clone()
                .filter_map(|(days, values)| Some((days, values.as_ref()?)))
                .collect();
            let days: Vec<_> = match kept.is_empty() {
                true => all.flat_map(|(days, _)| days.clone()).collect(),
                false => kept.iter().flat_map(|(days, _)| (*days).clone()).collect(),
            };
            let values = kept
                .iter()
                .flat_map(|(_, values)| values.as_array().expect("a list").clone());
            (
                json!(days.iter().min()),
                json!(days.iter().max()),
                Value::Array(values.collect()),
            )
        });
        if wanted {
            for day in days {
                let sources = self.days.entry((series.clone(), day)).or_default();
                sources.entry(fields["source"].to_string()).or_insert(None);
            }
            self.set_available(person.user_id, provider, resource);
        }
        if let Some((start, end, values)) = completed {
            let data = |resource: &str, values: Value| {
                let mut data =
                    json!({"provider": provider, "resource": resource, "start_date": start, "end_date": end});
                if values != json!([]) {
                    data["data"] = values;
                }
                data
            };
            let stages = self.stages(resource, &values, now);
            if resource != "hypnogram" {
                let mut data = data(resource, in_event(resource, values));
                if holds(self.forms.is_final, now) {
                    data["is_final"] = json!(true);
                }
                self.tell(person, &format!("historical.data.{resource}.created"), data, now);
            }
            if let Some(stages) = stages {
                let data = data("hypnogram", stages);
                self.tell(person, "historical.timeseries.hypnogram.created", data, now);
            }
        }
        Some(if wanted { "Taken" } else { "OutOfBounds" })
    }

    /// The value of a chunk that was deleted since it came.
    #[expect(clippy::too_many_arguments, reason = "all that a chunk is")]
    fn chunk_again(
        &mut self,
        person: &User,
        series: &Series,
        fields: &Value,
        values: Value,
        day: String,
        is_whole: bool,
        now: DateTime<Utc>,
    ) -> &'static str {
        let (provider, resource) = (&series.1, &series.2);
        self.values.keep(series, &fields["source"], &day, &values);
        let mut days = vec![day];
        let date = text(&fields["date"]);
        if wants(person, &date) {
            days.push(date);
        }
        for day in &days {
            let sources = self.days.entry((series.clone(), day.clone())).or_default();
            sources.entry(fields["source"].to_string()).or_insert(None);
        }
        self.set_available(person.user_id, provider, resource);
        if !is_whole {
            return "Taken";
        }
        let data = |resource: &str, values: Value| {
            json!({"provider": provider, "resource": resource, "start_date": days.iter().min(),
                "end_date": days.iter().max(), "data": values})
        };
        let stages = self.stages(resource, &values, now);
        let mut whole = data(resource, in_event(resource, values));
        if holds(self.forms.is_final, now) {
            whole["is_final"] = json!(true);
        }
        self.tell(person, &format!("historical.data.{resource}.created"), whole, now);
        if let Some(stages) = stages {
            let data = data("hypnogram", stages);
            self.tell(person, "historical.timeseries.hypnogram.created", data, now);
        }
        "Taken"
    }

    /// The stages that events of the deprecated form have.
    fn stages(&self, resource: &str, values: &Value, now: DateTime<Utc>) -> Option<Value> {
        let stages = match resource {
            "hypnogram" => values.clone(),
            "sleep_cycle" => {
                let cycles = values.as_array().expect("a list").iter();
                Value::Array(
                    cycles
                        .flat_map(|cycle| cycle["hypnogram"].as_array().expect("a list").clone())
                        .collect(),
                )
            }
            _ => return None,
        };
        holds(self.forms.hypnogram_events, now).then_some(stages)
    }

    fn set_available(&mut self, user: Uuid, provider: &str, resource: &str) {
        let connection = self
            .connections
            .get_mut(&(user, provider.to_owned()))
            .expect("is there");
        let none = json!({"required": [], "optional": []});
        let availability = connection.shown["resource_availability"]
            .as_object_mut()
            .expect("an object");
        let nothing_known = || json!({"scope_requirements": {"user_granted": none, "user_denied": none}});
        availability.entry(resource).or_insert_with(nothing_known)["status"] = json!("available");
    }
}

/// Whether a user wants data of a day.
fn wants(person: &User, day: &str) -> bool {
    person
        .ingestion_start
        .is_none_or(|start| start.to_string().as_str() <= day)
        && person.ingestion_end.is_none_or(|end| day <= end.to_string().as_str())
}

/// The day of a value where clocks are so many hours ahead.
fn day_of(resource: &str, value: &Value, hours: i64) -> String {
    let name = match resource {
        "sleep_cycle" => "session_end",
        "hypnogram" => "start",
        _ => "timestamp",
    };
    let time: DateTime<Utc> = text(&value[name]).parse().expect("a time");
    (time + TimeDelta::hours(hours)).date_naive().to_string()
}

/// Gives an offset to all times that have none. Nobody's clock changes in May.
fn with_offsets(value: &mut Value, offset: &str) {
    match value {
        Value::String(text) if text.starts_with("2026-05-0") && text.len() == 19 => text.push_str(offset),
        Value::Array(values) => values.iter_mut().for_each(|value| with_offsets(value, offset)),
        Value::Object(members) => members.values_mut().for_each(|value| with_offsets(value, offset)),
        _ => {}
    }
}
