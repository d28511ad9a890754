//! Naive model of daily data and historical pulls.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::User;

use super::naive::{Chunk, Line, Model, Pull, Series, holds, text};
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
        if let Some(pull) = fields.get("pull") {
            let key = (series, text(&pull["id"]));
            return self.chunk(person, key, pull, fields, (&read, hours), now);
        }
        if !wants(person, &date) {
            return Some("OutOfBounds");
        }
        // In the form of the sender: a move of the user does not make it new.
        let came = json!([fields["data"], fields.get("raw")]);
        let source = fields["source"].to_string();
        let line = self.lines.get(&(series.clone(), date.clone()));
        let line = line.and_then(|sources| sources.get(&source)).cloned();
        let is_repeated = line.as_ref().is_some_and(|line| line.came == came);
        // The day of a sample is that of its time. A cycle belongs to the day of the arrival.
        let is_wanted =
            |value: &Value, hours: i64| resource == "sleep_cycle" || wants(person, &day_of(&resource, value, hours));
        // Stages and the provider's own payload are not stored.
        let is_compared = resource != "hypnogram" && fields.get("raw").is_none();
        let is_known = |values: &Value| {
            let Some(line) = &line else { return false };
            // A sample later than all earlier ones of the day is new.
            let is_later = line.latest.is_some() && sample_time(&resource, &values[0]) > line.latest;
            !is_later && (is_compared || is_repeated) && self.values.are_kept(&series, fields, &date, values)
        };
        let is_local = read(2) != read(9);
        let mut read_as = hours;
        if let Some(line) = line.as_ref().filter(|_| is_local) {
            let last = line.zones.first().copied().filter(|_| is_repeated && line.is_local);
            let mut zones: Vec<i64> = Vec::new();
            for zone in last.into_iter().chain([hours]).chain(line.zones.iter().copied()) {
                if !zones.contains(&zone) {
                    zones.push(zone);
                }
            }
            let mut found = None;
            for zone in zones.iter().copied().filter(|_| zones.len() > 1) {
                let Some(values) = self.values.completed(person, fields, read(zone), now) else {
                    continue;
                };
                let is_wanted = is_wanted(&values[0], zone);
                // One sample does not show that the line is of another time zone.
                let may_be_of = last == Some(zone) || resource == "sleep_cycle";
                if is_wanted && (may_be_of || zone == hours) && is_known(&values) {
                    return Some("Duplicate");
                }
                let is_kept = self.values.are_kept(&series, fields, &date, &values);
                let is_other = is_wanted && !is_kept && self.values.has(&series, fields, &values[0]);
                let is_same = is_wanted && is_kept && resource == "sleep_cycle";
                if found.is_none() && !is_other && (is_same || last == Some(zone)) {
                    found = Some(zone);
                }
            }
            read_as = found.unwrap_or(hours);
        }
        let values = self.values.completed(person, fields, read(read_as), now)?;
        if !is_wanted(&values[0], read_as) {
            return Some("OutOfBounds");
        }
        if is_known(&values) {
            return Some("Duplicate");
        }
        let other = if resource == "hypnogram" {
            "sleep_cycle"
        } else {
            "hypnogram"
        };
        let other = (series.0, series.1.clone(), other.to_owned());
        let has_other = self.has_data(&other, &date);
        let day = match resource.as_str() {
            "steps" | "heartrate" => day_of(&resource, &values[0], read_as),
            _ => date.clone(),
        };
        let is_first = !self.has_data(&series, &day);
        let before = line.unwrap_or_default();
        let mut zones = before.zones;
        if is_local {
            zones.retain(|zone| *zone != read_as);
            zones.insert(0, read_as);
        }
        let line = Line {
            came,
            zones,
            is_local,
            latest: before.latest.max(sample_time(&resource, &values[0])),
        };
        if resource == "hypnogram" {
            self.nights.insert((series.clone(), date.clone()));
        }
        self.lines.entry((series, date)).or_default().insert(source, line);
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
            // The stages of a night arrive as either resource.
            let verb = if has_other { "updated" } else { verb };
            self.tell(person, &format!("daily.timeseries.hypnogram.{verb}"), data(stages), now);
        }
        Some("Taken")
    }

    fn chunk(
        &mut self,
        person: &User,
        key: (Series, String),
        chunk: &Value,
        fields: &Value,
        (read, hours): (&dyn Fn(i64) -> Value, i64),
        now: DateTime<Utc>,
    ) -> Option<&'static str> {
        let [number, chunks] = ["chunk", "chunks"].map(|name| chunk[name].as_u64().expect("a number"));
        let (series, date) = (key.0.clone(), text(&fields["date"]));
        let (provider, resource) = (&series.1, &series.2);
        if number > chunks || self.pulls.get(&key).is_some_and(|pull| pull.chunks != chunks) {
            return None;
        }
        let before = self.pulls.get(&key).and_then(|pull| pull.arrived.get(&number));
        if let Some(before) = before {
            if before.source != fields["source"] {
                return None;
            }
            let hours = match before.came == fields["data"] {
                true => before.hours,
                false => hours,
            };
            let values = self.values.completed(person, fields, read(hours), now)?;
            return Some(self.chunk_again(person, (key, number), fields, values, hours, now));
        }
        let values = self.values.completed(person, fields, read(hours), now)?;
        let pull = self.pulls.entry(key).or_insert_with(|| Pull {
            chunks,
            touched: now,
            ..Pull::default()
        });
        // Each chunk has one value.
        let day = day_of(resource, &values[0], hours);
        let wanted = wants(person, &day);
        pull.touched = now;
        if wanted {
            self.values.keep(&series, &fields["source"], &day, &values);
        }
        let mut days = vec![day];
        if wanted && wants(person, &date) {
            days.push(date);
        }
        let of = Chunk {
            came: fields["data"].clone(),
            hours,
            source: fields["source"].clone(),
            days: days.clone(),
            values: wanted.then(|| values.as_array().expect("a list").clone()),
        };
        pull.arrived.insert(number, of);
        let stored = &self.values;
        let completed = pull.is_whole().then(|| {
            let all = pull.arrived.values();
            let kept: Vec<_> = all.clone().filter(|chunk| chunk.values.is_some()).collect();
            let days: Vec<_> = match kept.is_empty() {
                true => all.flat_map(|chunk| chunk.days.clone()).collect(),
                false => kept.iter().flat_map(|chunk| chunk.days.clone()).collect(),
            };
            // The values in their current stored form, each once.
            let mut values: Vec<Value> = Vec::new();
            let mut seen = BTreeSet::new();
            for chunk in kept {
                for value in chunk.values.iter().flatten() {
                    match resource.as_str() {
                        "hypnogram" => values.push(value.clone()),
                        _ if seen.insert(place(resource, &chunk.source, value)) => {
                            values.extend(stored.stored(&series, &chunk.source, value));
                        }
                        _ => {}
                    }
                }
            }
            (json!(days.iter().min()), json!(days.iter().max()), Value::Array(values))
        });
        if wanted {
            if resource == "hypnogram" {
                self.nights.extend(days.into_iter().map(|day| (series.clone(), day)));
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

    /// Takes a repeated chunk: values that were deleted since are restored, and other values are taken.
    fn chunk_again(
        &mut self,
        person: &User,
        (key, number): ((Series, String), u64),
        fields: &Value,
        values: Value,
        hours: i64,
        now: DateTime<Utc>,
    ) -> &'static str {
        let series = key.0.clone();
        let (provider, resource) = (&series.1, &series.2);
        let day = day_of(resource, &values[0], hours);
        let pull = self.pulls.get_mut(&key).expect("is there");
        let is_whole = pull.is_whole();
        let before = pull.arrived.get_mut(&number).expect("is there");
        let is_same = before.came == fields["data"];
        let is_known = match is_same {
            true => self.values.has(&series, fields, &values[0]),
            false => resource != "hypnogram" && self.values.are_kept(&series, fields, &day, &values),
        };
        if !wants(person, &day) || is_known {
            return "Duplicate";
        }
        self.values.keep(&series, &fields["source"], &day, &values);
        let mut days = vec![day];
        let date = text(&fields["date"]);
        if wants(person, &date) {
            days.push(date);
        }
        (before.came, before.hours) = (fields["data"].clone(), hours);
        pull.touched = now;
        let mut all = values.as_array().expect("a list").clone();
        match &mut before.values {
            Some(values) if resource != "hypnogram" => {
                values.append(&mut all);
                before.days.extend(days.clone());
            }
            values => {
                *values = Some(all);
                before.days.clone_from(&days);
            }
        }
        pull.again += usize::from(is_whole);
        if resource == "hypnogram" {
            self.nights.extend(days.iter().map(|day| (series.clone(), day.clone())));
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
        if resource != "hypnogram" {
            let mut whole = data(resource, in_event(resource, values));
            if holds(self.forms.is_final, now) {
                whole["is_final"] = json!(true);
            }
            self.tell(person, &format!("historical.data.{resource}.created"), whole, now);
        }
        if let Some(stages) = stages {
            let data = data("hypnogram", stages);
            self.tell(person, "historical.timeseries.hypnogram.created", data, now);
        }
        "Taken"
    }

    /// Returns whether a series has data of a day, of any source. Stages are not stored: the days that they came with count.
    pub(super) fn has_data(&self, series: &Series, day: &str) -> bool {
        self.days_with_data(series).contains(day)
    }

    pub(super) fn days_with_data(&self, series: &Series) -> BTreeSet<String> {
        let nights = self.nights.iter().filter(|(of, _)| of == series);
        let nights = nights.map(|(_, day)| day.clone());
        nights.chain(self.values.days(series)).collect()
    }

    /// Returns the stages that events of the deprecated form have.
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

/// Returns the identity of a value in a series: the id of a cycle, or the source and time of a sample.
fn place(resource: &str, source: &Value, value: &Value) -> (String, String) {
    match resource {
        "sleep_cycle" => (String::new(), text(&value["id"])),
        _ => {
            let time: DateTime<Utc> = text(&value["timestamp"]).parse().expect("a time");
            (source.to_string(), time.to_rfc3339())
        }
    }
}

/// Returns whether a user wants data of a day.
fn wants(person: &User, day: &str) -> bool {
    person
        .ingestion_start
        .is_none_or(|start| start.to_string().as_str() <= day)
        && person.ingestion_end.is_none_or(|end| day <= end.to_string().as_str())
}

/// Returns the time of a value that is a sample.
fn sample_time(resource: &str, value: &Value) -> Option<DateTime<Utc>> {
    let is_sample = ["steps", "heartrate"].contains(&resource);
    is_sample.then(|| text(&value["timestamp"]).parse().expect("a time"))
}

/// Returns the day of a value at an offset in hours.
fn day_of(resource: &str, value: &Value, hours: i64) -> String {
    let name = match resource {
        "sleep_cycle" => "session_end",
        "hypnogram" => "start",
        _ => "timestamp",
    };
    let time: DateTime<Utc> = text(&value[name]).parse().expect("a time");
    (time + TimeDelta::hours(hours)).date_naive().to_string()
}

/// Adds an offset to all times without one. No clock changes in May.
fn with_offsets(value: &mut Value, offset: &str) {
    match value {
        Value::String(text) if text.starts_with("2026-05-0") && text.len() == 19 => text.push_str(offset),
        Value::Array(values) => values.iter_mut().for_each(|value| with_offsets(value, offset)),
        Value::Object(members) => members.values_mut().for_each(|value| with_offsets(value, offset)),
        _ => {}
    }
}
