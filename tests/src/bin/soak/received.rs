//! Events that the destination received.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::{Hash, Hasher};

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};
use wearlab_models::Uuid;

use crate::arrival::number_of;
use crate::model::Expected;
use crate::sink::Received;
use crate::world::user_of;

/// All received events, without duplicates.
#[derive(Default)]
pub(crate) struct Comings {
    events: HashMap<String, Came>,
    /// Number of deliveries.
    pub(crate) count: u64,
    /// Number of repeated deliveries.
    pub(crate) repeats: u64,
}

/// A received event.
pub(crate) struct Came {
    digest: u64,
    event_type: String,
    user: Option<usize>,
    says: Value,
    /// Position in the order of first deliveries.
    pub(crate) place: usize,
    /// True if the destination has the event: at least one delivery succeeded.
    kept: bool,
}

impl Comings {
    /// Records deliveries, in this order.
    pub(crate) fn note(&mut self, events: Vec<Received>) -> Result<()> {
        for event in events {
            self.count += 1;
            let digest = digest(&event.payload);
            let place = self.events.len();
            match self.events.entry(event.event_id.clone()) {
                Entry::Occupied(mut before) => {
                    self.repeats += 1;
                    let before = before.get_mut();
                    ensure!(
                        before.digest == digest && before.event_type == event.event_type,
                        "{} was received again and says something else",
                        event.event_id
                    );
                    before.kept |= event.kept;
                }
                Entry::Vacant(first) => {
                    let (user, says) = read(&event)?;
                    first.insert(Came {
                        digest,
                        event_type: event.event_type,
                        user,
                        says,
                        place,
                        kept: event.kept,
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns an event, if the destination has it.
    pub(crate) fn get(&self, event_id: &str) -> Option<&Came> {
        self.events.get(event_id).filter(|received| received.kept)
    }

    /// Returns the number of distinct events that the destination has.
    pub(crate) fn kept(&self) -> usize {
        self.events.values().filter(|received| received.kept).count()
    }

    /// Checks that only events in `known` were received.
    pub(crate) fn compare(&self, known: impl Fn(&str) -> bool) -> Result<()> {
        match self.events.keys().find(|id| !known(id)) {
            Some(id) => bail!("{id} was received and is not in the log"),
            None => Ok(()),
        }
    }
}

impl Came {
    /// Checks that the event is the expected one.
    pub(crate) fn compare(&self, expected: &Expected) -> Result<()> {
        let alike = self.event_type == expected.event_type && self.user == Some(expected.user);
        ensure!(
            alike && self.says == expected.says,
            "{} of user {:?} was received, and says {}, in place of {expected:?}",
            self.event_type,
            self.user,
            self.says
        );
        Ok(())
    }
}

/// Returns the user and the content of an event.
fn read(event: &Received) -> Result<(Option<usize>, Value)> {
    let payload: Value = serde_json::from_slice(&event.payload)?;
    let id = payload["event_id"].as_str();
    ensure!(
        id == Some(&event.event_id),
        "{} was received with the id {id:?} in its payload",
        event.event_id
    );
    let (data, about) = (&payload["data"], &payload["user_id"]);
    let (says, about) = match event.event_type.as_str() {
        "provider.connection.created" => (&data["provider"]["name"], &data["user_id"]),
        "provider.connection.error" => (&data["error_details"]["error_message"], &data["user_id"]),
        _ => (&data["data"], about),
    };
    // A pull without values has an empty list.
    let says = match says {
        Value::Null => json!([]),
        Value::Array(values) => values.iter().map(number_of).collect(),
        says => says.clone(),
    };
    let user = about.as_str().and_then(|id| id.parse::<Uuid>().ok());
    Ok((user.and_then(user_of), says))
}

/// Calculates a digest. Equal payloads have equal digests, and different ones almost always differ.
pub(crate) fn digest(payload: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    payload.hash(&mut hasher);
    hasher.finish()
}
