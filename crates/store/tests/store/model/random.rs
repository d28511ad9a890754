//! Random steps from few values of each kind, so that many are repeated, unchanged or changed.

use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, User};
use wearlab_store::{DeprecatedForms, TeamId, Until, ValidArrival};

use crate::arriving::{ALL_FORMS, AT, NO_FORMS, arrival, at, cycle, stage};
use crate::world::{connection, device, user};

pub(super) const USERS: u128 = 3;
pub(super) const PROVIDERS: [&str; 2] = ["stridewell", "pulsely"];
pub(super) const RESOURCES: [&str; 4] = ["steps", "heartrate", "sleep_cycle", "hypnogram"];

/// A step for the store and for the model.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Ingests an arrival.
    Arrival(Box<ValidArrival>),
    /// Imports a connection.
    Import(Uuid, Box<ConnectedProvider>),
    /// Creates a user, or changes the wanted days or the time zone.
    User(Box<User>),
    /// Deletes a user.
    Forget(Uuid),
    /// Aborts waiting pulls.
    DropPulls(DateTime<Utc>),
}

impl Step {
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Arrival(arrival) => arrival.kind(),
            Self::Import(..) => "import",
            Self::User(_) => "user",
            Self::Forget(_) => "forget",
            Self::DropPulls(_) => "pulls",
        }
    }
}

/// Returns one of some values.
fn one_of<T: Clone>(rng: &mut ChaCha8Rng, values: &[T]) -> T {
    values[rng.random_range(0..values.len())].clone()
}

pub(super) fn draw(rng: &mut ChaCha8Rng, team: TeamId, now: DateTime<Utc>) -> Step {
    let user_id = rng.random_range(1..=USERS);
    let made = |rng: &mut ChaCha8Rng| {
        let created_on = one_of(rng, &["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"]);
        let mut made = connection(one_of(rng, &PROVIDERS), created_on);
        if rng.random_range(0..3) == 0 {
            let scopes = json!({"required": ["read"], "optional": []});
            let availability = json!({"steps": {"status": "unavailable", "scope_requirements": {
                "user_granted": {"required": [], "optional": []}, "user_denied": scopes}}});
            made.resource_availability = serde_json::from_value(availability).expect("availability");
        }
        made
    };
    let (kind, mut fields) = match rng.random_range(0..400) {
        0..40 => ("connection_made", json!({"provider": made(rng)})),
        40..55 => {
            let details = json!({"error_type": one_of(rng, &["revoked", "expired"])});
            (
                "connection_failed",
                json!({"provider": one_of(rng, &PROVIDERS), "error_details": details}),
            )
        }
        55..67 => ("connection_ended", json!({"provider": one_of(rng, &PROVIDERS)})),
        67..87 => {
            let mut device = device(user_id, rng.random_range(1..5));
            device.device_version = one_of(rng, &[None, Some("2".to_owned())]);
            ("device", json!({ "device": device }))
        }
        87..350 => ("data", data(rng)),
        350..382 => ("data_deleted", deleted(rng)),
        382..388 => return Step::Import(Uuid::from_u128(user_id), Box::new(made(rng))),
        388..396 => {
            let mut person = user(team, user_id, AT);
            let day = |text: &str| Some(text.parse().expect("a date"));
            (person.ingestion_start, person.ingestion_end) = match rng.random_range(0..6) {
                0 => (day("2026-05-02"), None),
                1 => (None, day("2026-05-03")),
                2 => (day("2026-05-02"), day("2026-05-02")),
                _ => (None, None),
            };
            person.fallback_time_zone.id = one_of(rng, &["Europe/Oslo", "Asia/Tokyo"]).to_owned();
            return Step::User(Box::new(person));
        }
        396 => return Step::Forget(Uuid::from_u128(user_id)),
        _ => return Step::DropPulls(now - TimeDelta::days(rng.random_range(3..30))),
    };
    if kind != "device" {
        fields["user_id"] = json!(Uuid::from_u128(user_id));
    }
    if rng.random_range(0..4) == 0 {
        fields["arrival_id"] = json!(format!("{kind}-{}", rng.random_range(0..60)));
    }
    Step::Arrival(Box::new(arrival(kind, fields)))
}

/// Returns data of a day, or a chunk of a pull.
fn data(rng: &mut ChaCha8Rng) -> Value {
    let resource = one_of(rng, &RESOURCES);
    let number = rng.random_range(0..3_u128);
    let date = rng.random_range(1..5);
    let mut value = match resource {
        "sleep_cycle" => cycle(number),
        "hypnogram" => stage(&format!("2{number}:00"), "deep"),
        _ => {
            let day = match rng.random_range(0..4) {
                0 => rng.random_range(1..5),
                _ => date,
            };
            json!({"timestamp": format!("2026-05-0{day}T1{number}:00:00+02:00"), "value": number})
        }
    };
    if rng.random_range(0..4) == 0 {
        without_offsets(&mut value);
    }
    let mut fields = json!({
        "provider": one_of(rng, &PROVIDERS),
        "resource": resource,
        "date": format!("2026-05-0{date}"),
        "data": [value],
        "source": one_of(rng, &[json!({}), json!({"type": "watch", "app_id": "an.app"})]),
    });
    match rng.random_range(0..20) {
        0..11 => {
            // Some contradict the other chunks of the pull.
            let chunks = if rng.random_range(0..30) == 0 { 2 } else { 3 };
            let id = format!("pull-{}", rng.random_range(0..3));
            fields["pull"] = json!({"id": id, "chunk": rng.random_range(1..=chunks), "chunks": chunks});
        }
        11..14 => fields["raw"] = json!({"as": "it came", "n": rng.random_range(0..2)}),
        _ => {}
    }
    fields
}

/// Returns a deletion: of a cycle, of the cycles of some days, or of the samples of a span.
fn deleted(rng: &mut ChaCha8Rng) -> Value {
    let hour = rng.random_range(7..10_u32);
    let first = rng.random_range(1..5);
    let mut fields = match rng.random_range(0..4) {
        0 => json!({"resource": "sleep_cycle", "id": Uuid::from_u128(rng.random_range(0..3))}),
        1 => json!({"resource": "sleep_cycle", "start_date": format!("2026-05-0{first}"),
            "end_date": format!("2026-05-0{}", rng.random_range(first..6))}),
        _ => {
            json!({"resource": one_of(rng, &["steps", "heartrate"]), "start": format!("2026-05-0{}T0{hour}:00:00Z", first),
            "end": format!("2026-05-0{}T{}:00:00Z", rng.random_range(first..5), rng.random_range(10..12))})
        }
    };
    fields["provider"] = json!(one_of(rng, &PROVIDERS));
    if rng.random_range(0..3) == 0 {
        fields["source"] = one_of(rng, &[json!({}), json!({"type": "watch", "app_id": "an.app"})]);
    }
    fields
}

/// Removes the offsets from all times.
fn without_offsets(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with("2026-05-0") => text.truncate("2026-05-01T10:00:00".len()),
        Value::Array(values) => values.iter_mut().for_each(without_offsets),
        Value::Object(members) => members.values_mut().for_each(without_offsets),
        _ => {}
    }
}

/// Returns the deprecated forms of a round. If they have an end, the clock sometimes passes it.
pub(super) fn forms(seed: u64) -> DeprecatedForms {
    let day = |text: &str| text.parse::<Until>().expect("a day");
    let ending = DeprecatedForms {
        connection_source: day("2026-06-10"),
        source_details: day("2026-06-20"),
        hypnogram_events: day("2026-07-05"),
        is_final: day("2026-06-25"),
        result_value: day("2026-06-25"),
    };
    let hypnograms_alone = DeprecatedForms {
        hypnogram_events: Until::Always,
        ..NO_FORMS
    };
    [
        ending,
        NO_FORMS,
        ending,
        ALL_FORMS,
        ending,
        hypnograms_alone,
        DeprecatedForms::default(),
    ][(seed % 7) as usize]
}

/// A clock that advances by hours, and sometimes jumps.
pub(super) struct Clock {
    pub(super) now: DateTime<Utc>,
    jumped: Option<DateTime<Utc>>,
}

impl Clock {
    pub(super) fn at(now: DateTime<Utc>) -> Self {
        Self { now, jumped: None }
    }

    pub(super) fn tick(&mut self, rng: &mut ChaCha8Rng) -> DateTime<Utc> {
        self.now += TimeDelta::minutes(rng.random_range(0..600));
        let jump = |time: &str| Some(at(time));
        self.jumped = match rng.random_range(0..60) {
            0 => jump("1955-11-05T06:00:00Z"),
            1 => jump("1970-01-01T00:00:00Z"),
            2 => jump("2185-01-01T00:00:00Z"),
            3 => Some(self.now - TimeDelta::days(30)),
            // It stays there for some writes.
            4..30 => self.jumped,
            _ => None,
        };
        self.jumped.unwrap_or(self.now)
    }
}
