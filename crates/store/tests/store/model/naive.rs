//! Naive model of the store's guarantees.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::User;
use wearlab_store::{Arrival, DeprecatedForms, Until};

use super::random::Step;
use super::values::Values;

pub(super) type Pair = (Uuid, String);
pub(super) type Series = (Uuid, String, String);

/// An event without its id.
#[derive(Debug, PartialEq)]
pub(super) struct Logged {
    pub(super) user: Uuid,
    pub(super) created_on: DateTime<Utc>,
    pub(super) event_type: String,
    pub(super) payload: Value,
}

pub(super) struct Connection {
    /// The connection in the form of reads.
    pub(super) shown: Value,
    /// The arrival that created it, until something else changes it.
    pub(super) made: Option<Value>,
}

/// The last version of a chunk of a pull.
pub(super) struct Chunk {
    pub(super) came: Value,
    /// Offset from UTC when it was read, in hours.
    pub(super) hours: i64,
    pub(super) source: Value,
    pub(super) days: Vec<String>,
    /// All values, unless their days are unwanted.
    pub(super) values: Option<Vec<Value>>,
}

#[derive(Default)]
pub(super) struct Pull {
    pub(super) chunks: u64,
    pub(super) arrived: BTreeMap<u64, Chunk>,
    pub(super) touched: DateTime<Utc>,
    /// Number of chunks with news that came again after the pull was complete.
    pub(super) again: usize,
}

impl Pull {
    pub(super) fn is_whole(&self) -> bool {
        self.arrived.len() as u64 == self.chunks
    }
}

/// An id of an arrival.
pub(super) struct Remembered {
    key: Pair,
    taken: DateTime<Utc>,
}

/// Data that came last with a date.
#[derive(Clone, Default)]
pub(super) struct Line {
    pub(super) came: Value,
    /// Offsets from UTC, in hours, that times without an offset were read with, the last ones first.
    pub(super) zones: Vec<i64>,
    /// True if it has times without an offset.
    pub(super) is_local: bool,
    pub(super) latest: Option<DateTime<Utc>>,
}

#[derive(Default)]
pub(super) struct Model {
    pub(super) forms: DeprecatedForms,
    pub(super) events: Vec<Logged>,
    pub(super) users: HashMap<Uuid, User>,
    /// Ids in the order of ingest.
    pub(super) ids: Vec<Remembered>,
    /// Number of ids recorded in this write.
    remembered: usize,
    pub(super) connections: HashMap<Pair, Connection>,
    pub(super) devices: HashMap<Uuid, (Uuid, Value)>,
    /// Data that came last with a date, by source.
    pub(super) lines: HashMap<(Series, String), HashMap<String, Line>>,
    /// The days of hypnograms.
    pub(super) nights: BTreeSet<(Series, String)>,
    pub(super) pulls: HashMap<(Series, String), Pull>,
    pub(super) values: Values,
}

impl Model {
    pub(super) fn put_user(&mut self, user: &User) {
        self.users.insert(user.user_id, user.clone());
    }

    pub(super) fn has_user(&self, user: Uuid) -> bool {
        self.users.contains_key(&user)
    }

    pub(super) fn connections_of(&self, user: Uuid) -> BTreeMap<String, Value> {
        let of_user = self.connections.iter().filter(|(key, _)| key.0 == user);
        of_user
            .map(|(key, connection)| (key.1.clone(), connection.shown.clone()))
            .collect()
    }

    pub(super) fn devices_of(&self, user: Uuid) -> BTreeMap<Uuid, Value> {
        let of_user = self.devices.iter().filter(|(_, (owner, _))| *owner == user);
        of_user.map(|(id, (_, device))| (*id, device.clone())).collect()
    }

    /// Counts the events of complete pulls, and of their chunks that came again. Hypnograms have no event of this name.
    pub(super) fn completed_pulls(&self) -> usize {
        let found = self
            .pulls
            .iter()
            .filter(|((series, _), pull)| pull.is_whole() && series.2 != "hypnogram");
        found.map(|(_, pull)| 1 + pull.again).sum()
    }

    /// Runs a step, and returns its outcome. None if it is refused.
    pub(super) fn take(&mut self, step: &Step, now: DateTime<Utc>) -> Option<String> {
        match step {
            Step::Arrival(arrival) => self.arrival(arrival, now).map(str::to_owned),
            Step::Import(user, connection) => {
                self.has_user(*user)
                    .then(|| self.put_connection(*user, json!(connection)))?;
                Some(String::new())
            }
            Step::User(user) => {
                self.put_user(user);
                Some(String::new())
            }
            Step::Forget(user) => Some(self.forget(*user).to_string()),
            Step::DropPulls(since) => {
                let before = self.pulls.len();
                self.pulls.retain(|_, pull| pull.is_whole() || pull.touched >= *since);
                Some((before - self.pulls.len()).to_string())
            }
        }
    }

    fn forget(&mut self, user: Uuid) -> bool {
        self.ids.retain(|id| id.key.0 != user);
        self.connections.retain(|key, _| key.0 != user);
        self.devices.retain(|_, (owner, _)| *owner != user);
        self.lines.retain(|key, _| key.0.0 != user);
        self.nights.retain(|key| key.0.0 != user);
        self.pulls.retain(|key, _| key.0.0 != user);
        self.events.retain(|event| event.user != user);
        self.values.forget(user);
        self.users.remove(&user).is_some()
    }

    fn arrival(&mut self, arrival: &Arrival, now: DateTime<Utc>) -> Option<&'static str> {
        let user = arrival.user_id();
        let person = self.users.get(&user)?.clone();
        let key = arrival.arrival_id().map(|id| (user, id.to_owned()));
        if self.ids.iter().any(|id| Some(&id.key) == key.as_ref()) {
            return Some("Duplicate");
        }
        let json = json!(arrival);
        let fields = &json[arrival.kind()];
        let outcome = match arrival.kind() {
            "data" => self.data(&person, fields, now)?,
            "data_deleted" => self.deleted(&person, fields, now)?,
            "connection_made" => self.made(&person, &fields["provider"], now),
            "connection_failed" => {
                let slug = text(&fields["provider"]);
                let mut failed = self.connections.get(&(user, slug))?.shown.clone();
                let worked = failed["status"] != "error";
                failed["status"] = json!("error");
                failed["error_details"] = fields["error_details"].clone();
                let changed = self.put_connection(user, failed);
                if worked {
                    let data = json!({"user_id": user, "provider": fields["provider"],
                        "error_details": fields["error_details"]});
                    self.tell(&person, "provider.connection.error", data, now);
                }
                news(changed)
            }
            "connection_ended" => news(self.connections.remove(&(user, text(&fields["provider"]))).is_some()),
            "device" => {
                let device = &fields["device"];
                let id = device["id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
                let before = self.devices.insert(id, (user, device.clone()));
                news(before.is_none_or(|before| before.1 != *device))
            }
            kind => panic!("{kind}"),
        };
        if outcome != "OutOfBounds" {
            key.into_iter().for_each(|key| self.remember(key, now));
        }
        Some(outcome)
    }

    fn remember(&mut self, key: Pair, now: DateTime<Utc>) {
        self.ids.push(Remembered { key, taken: now });
        self.remembered += 1;
    }

    /// Expires two ids for each recorded one at the end of a write: the oldest ones that are older than a week.
    pub(super) fn end_of_write(&mut self, now: DateTime<Utc>) {
        for _ in 0..2 * std::mem::take(&mut self.remembered) {
            let old = self
                .ids
                .iter()
                .enumerate()
                .filter(|(_, id)| id.taken < now - TimeDelta::days(7));
            // The first of several equal ones.
            let oldest = old.min_by_key(|(_, id)| id.taken).map(|(at, _)| at);
            oldest.map(|at| self.ids.remove(at));
        }
    }

    /// Returns whether the connection changed.
    fn put_connection(&mut self, user: Uuid, shown: Value) -> bool {
        let key = (user, text(&shown["slug"]));
        let changes = self.connections.get(&key).is_none_or(|before| before.shown != shown);
        if changes {
            self.connections.insert(key, Connection { shown, made: None });
        }
        changes
    }

    fn made(&mut self, person: &User, made: &Value, now: DateTime<Utc>) -> &'static str {
        let key = (person.user_id, text(&made["slug"]));
        let before = self.connections.get(&key);
        if before.is_some_and(|before| before.made.as_ref() == Some(made)) {
            return "Duplicate";
        }
        let is_new = before.is_none_or(|before| {
            let repaired = before.shown["status"] == "error" && made["status"] != "error";
            repaired || before.shown["created_on"] != made["created_on"]
        });
        let changed = self.put_connection(person.user_id, made.clone());
        self.connections.get_mut(&key).expect("was put").made = Some(made.clone());
        if is_new {
            let provider = json!({"name": made["name"], "slug": made["slug"], "logo": made["logo"]});
            let mut data = json!({"provider": provider, "user_id": person.user_id,
                "resource_availability": made["resource_availability"]});
            if holds(self.forms.connection_source, now) {
                data["source"] = provider;
            }
            self.tell(person, "provider.connection.created", data, now);
        }
        news(changed)
    }

    pub(super) fn tell(&mut self, person: &User, event_type: &str, data: Value, now: DateTime<Utc>) {
        let mut payload = json!({"event_type": event_type, "client_user_id": person.client_user_id,
            "team_id": person.team_id, "data": data});
        if !event_type.starts_with("provider.connection.") {
            payload["user_id"] = json!(person.user_id);
        }
        self.events.push(Logged {
            user: person.user_id,
            created_on: now,
            event_type: event_type.to_owned(),
            payload,
        });
    }
}

pub(super) fn holds(until: Until, now: DateTime<Utc>) -> bool {
    match until {
        Until::Never => false,
        Until::Day(day) => now.date_naive() < day,
        Until::Always => true,
    }
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn news(changed: bool) -> &'static str {
    if changed { "Taken" } else { "Duplicate" }
}
