//! Input lines of `wearlab ingest`, with their meaning.

use serde_json::{Value, json};

use crate::world::{connection, has_ids, team_id, team_of, user_id};

/// Arrival. Its payload contains its number, so that its event can be identified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Number.
    pub(crate) number: u64,
    /// User.
    pub(crate) user: usize,
    /// Kind of the arrival.
    pub(crate) kind: Kind,
}

/// Kind of an arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Data of a day of January.
    Day {
        provider: &'static str,
        resource: &'static str,
        day: u32,
        /// Source of the data.
        source: &'static str,
    },
    /// Chunk of a historical pull.
    Chunk {
        provider: &'static str,
        resource: &'static str,
        day: u32,
        pull: u64,
        chunk: u32,
        chunks: u32,
    },
    /// Deletes the samples of a day of January.
    Deleted {
        provider: &'static str,
        resource: &'static str,
        day: u32,
    },
    /// Creates a connection.
    Made { provider: &'static str, on: u32 },
    /// Reports a failed connection.
    Failed { provider: &'static str },
    /// Ends a connection.
    Ended { provider: &'static str },
    /// Adds a device.
    Device { device: u32 },
    /// Line that must be refused.
    Bad(Badness),
}

/// Error in a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Badness {
    /// The line is truncated JSON.
    Cut,
    /// The user does not exist.
    User,
    /// The field does not exist.
    Field,
}

/// Returns the id of a device.
pub(crate) fn device_id(user: usize, device: u32) -> wearlab_models::Uuid {
    wearlab_models::Uuid::from_u128((user_id(user).as_u128() << 32) + u128::from(device))
}

impl Arrival {
    /// Returns the line of a producer, which is the same each time.
    pub(crate) fn line(&self) -> String {
        let (number, team) = (self.number, team_id(team_of(self.user)));
        let (name, fields) = match self.kind {
            Kind::Day {
                provider,
                resource,
                day,
                source,
            } => (
                "data",
                json!({"provider": provider, "resource": resource, "date": date(day), "source": {"type": source},
                    "data": [value(resource, &time_of_day(day), number)]}),
            ),
            Kind::Chunk {
                provider,
                resource,
                day,
                pull,
                chunk,
                chunks,
            } => (
                "data",
                json!({"provider": provider, "resource": resource, "date": date(day),
                    "data": [value(resource, &time_of_chunk(day, chunk), number_of_chunk(pull, chunk))],
                    "pull": {"id": format!("pull-{pull}"), "chunk": chunk, "chunks": chunks}}),
            ),
            Kind::Deleted {
                provider,
                resource,
                day,
            } => (
                "data_deleted",
                json!({"provider": provider, "resource": resource, "start": format!("{}T00:00:00Z", date(day)),
                    "end": format!("{}T23:59:59Z", date(day))}),
            ),
            Kind::Made { provider, on } => {
                let provider = connection(provider, &self.name(provider), on);
                ("connection_made", json!({ "provider": provider }))
            }
            Kind::Failed { provider } => (
                "connection_failed",
                json!({"provider": provider, "error_details": {"error_message": number.to_string()}}),
            ),
            Kind::Ended { provider } => ("connection_ended", json!({ "provider": provider })),
            Kind::Device { device } => {
                let device = json!({"id": device_id(self.user, device), "user_id": user_id(self.user),
                    "provider": "stridewell", "source_type": "watch", "device_version": number.to_string()});
                return self.text("device", json!({"team_id": team, "device": device}));
            }
            Kind::Bad(Badness::Cut) => return r#"{"data": {"team_id": "#.to_owned(),
            Kind::Bad(Badness::User) => {
                let device = json!({"id": team, "user_id": team, "provider": "stridewell", "source_type": "watch"});
                return json!({"device": {"team_id": team, "device": device}}).to_string();
            }
            Kind::Bad(Badness::Field) => ("connection_ended", json!({"provider": "ringly", "mood": "bad"})),
        };
        let mut whole = json!({"team_id": team, "user_id": user_id(self.user)});
        if let (Some(whole), Value::Object(fields)) = (whole.as_object_mut(), fields) {
            whole.extend(fields);
        }
        self.text(name, whole)
    }

    fn text(&self, name: &str, mut fields: Value) -> String {
        if has_ids(self.user) {
            fields["arrival_id"] = json!(format!("arrival-{}", self.number));
        }
        json!({ name: fields }).to_string()
    }

    /// Returns the name of a provider that this arrival connects.
    pub(crate) fn name(&self, provider: &str) -> String {
        format!("{provider} {}", self.number)
    }
}

/// Returns a value that contains a number: a sample, or a summary of a body.
pub(crate) fn value(resource: &str, time: &str, number: u64) -> Value {
    match resource {
        "body" => json!({ "weight": number }),
        _ => json!({"timestamp": time, "value": number}),
    }
}

/// Returns the number in a value.
pub(crate) fn number_of(value: &Value) -> Value {
    let number = ["value", "weight"].iter().find_map(|name| value.get(name));
    number.cloned().unwrap_or_default()
}

/// Returns the number in the value of a chunk.
pub(crate) fn number_of_chunk(pull: u64, chunk: u32) -> u64 {
    pull * 100 + u64::from(chunk)
}

/// Returns the time of the sample of a day, which is the same for all sources.
pub(crate) fn time_of_day(day: u32) -> String {
    format!("{}T10:00:00Z", date(day))
}

/// Returns the time of the sample of a chunk.
pub(crate) fn time_of_chunk(day: u32, chunk: u32) -> String {
    format!("{}T11:{chunk:02}:00Z", date(day))
}

fn date(day: u32) -> String {
    format!("2026-01-{day:02}")
}
