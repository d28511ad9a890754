//! Random records of every kind, from few ids, so that many are put again, unchanged or changed.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use wearlab_store::Record;

use super::texts::{one_of, text, time, words};

const ORGANISATIONS: [&str; 4] = ["org_a", "org_b", "\u{f6}rg", ""];

/// Number of teams. Some do not exist.
pub(super) const TEAMS: u128 = 4;
/// Number of users. Some do not exist.
pub(super) const USERS: u128 = 6;

pub(super) fn team(rng: &mut ChaCha8Rng) -> Uuid {
    // Arrivals are of the first team.
    Uuid::from_u128(if rng.random_range(0..3) > 0 {
        1
    } else {
        rng.random_range(1..=TEAMS)
    })
}

pub(super) fn user(rng: &mut ChaCha8Rng) -> Uuid {
    Uuid::from_u128(rng.random_range(1..=USERS))
}

/// Returns the id of a lab test.
pub(super) fn lab_test(rng: &mut ChaCha8Rng) -> String {
    one_of(rng, &["t1", "t2", "\u{e9}'t", ""]).to_owned()
}

pub(super) fn slug(rng: &mut ChaCha8Rng) -> String {
    match rng.random_range(0..3) {
        0 => text(rng),
        // Providers of arrivals.
        _ => one_of(rng, &["stridewell", "pulsely"]).to_owned(),
    }
}

/// Returns a value or none, for optional secrets and names.
fn maybe<T>(rng: &mut ChaCha8Rng, value: impl FnOnce(&mut ChaCha8Rng) -> T) -> Option<T> {
    (rng.random_range(0..2) == 0).then(|| value(rng))
}

pub(super) fn key(rng: &mut ChaCha8Rng) -> String {
    format!("key-{}", rng.random_range(0..8))
}

fn marker(rng: &mut ChaCha8Rng) -> Value {
    json!({"id": rng.random_range(-3..5), "name": words(rng), "slug": "g", "description": "", "lab_id": 1,
        "provider_id": "P", "type": "biomarker", "unit": maybe(rng, text), "price": "N/A", "expected_results": []})
}

fn connected(rng: &mut ChaCha8Rng) -> Value {
    json!({"name": words(rng), "slug": slug(rng), "logo": "", "created_on": time(rng),
        "status": one_of(rng, &["connected", "paused", "another"]), "resource_availability": {}})
}

fn pipeline(rng: &mut ChaCha8Rng) -> Value {
    let kinds = one_of(rng, &[vec!["rabbitmq"], vec!["cloud_pubsub", "rabbitmq"], vec!["svix"]]);
    json!({"team_id": team(rng), "preferences": {"preferred": kinds[0], "enabled": kinds},
        "push_historical_data": true, "provider_raw_data": false,
        "rabbitmq": {"uri": format!("amqps://user:{}@broker.example/", words(rng).len()), "exchange": words(rng)},
        "cloud_pubsub": {"project": "p", "topic": text(rng), "message_ordering": true},
        "svix": {"regional": false}, "event_type_prefixes": []})
}

pub(super) fn record(rng: &mut ChaCha8Rng) -> Record {
    let record = match rng.random_range(0..20) {
        0 => json!({"organisation": {"org_id": one_of(rng, &ORGANISATIONS)}}),
        1 => json!({"team": {"team_id": team(rng), "org_id": one_of(rng, &ORGANISATIONS[..2]),
            "environment": one_of(rng, &["sandbox", "production"]), "region": one_of(rng, &["us", "eu"])}}),
        2 | 3 => {
            let (team, organisation) = match rng.random_range(0..5) {
                0..3 => (Some(team(rng)), None),
                3 => (None, Some(one_of(rng, &ORGANISATIONS))),
                _ => (Some(team(rng)), Some("org_a")),
            };
            json!({"key": {"team_id": team, "org_id": organisation, "key": key(rng), "name": maybe(rng, text),
                "created_on": maybe(rng, time), "revoked_on": if rng.random_range(0..6) == 0 { Some(time(rng)) } else { None }}})
        }
        4 | 5 => {
            let slug = text(rng);
            let link = maybe(rng, |rng| {
                let slug = if rng.random_range(0..5) == 0 { "other" } else { &slug };
                json!({"name": words(rng), "slug": slug, "description": "", "id": 4})
            });
            json!({"provider": {"source_type": text(rng), "link": link,
                "supported": {"name": words(rng), "slug": slug, "description": words(rng), "logo": null}}})
        }
        6 => {
            json!({"cancellation_reason": {"id": text(rng), "name": text(rng), "is_refundable": rng.random_range(0..2) == 0}})
        }
        7 | 8 => {
            let markers: Vec<_> = (0..rng.random_range(0..4)).map(|_| marker(rng)).collect();
            json!({"lab_test": {"lab_test_id": lab_test(rng), "name": text(rng), "markers": markers}})
        }
        9 => {
            let mut visible = Map::new();
            for _ in 0..rng.random_range(0..3) {
                let markers: Vec<i64> = (0..rng.random_range(0..3)).map(|_| rng.random_range(-3..5)).collect();
                visible.insert(lab_test(rng), json!(markers));
            }
            json!({"lab_account": {"team_id": team(rng), "lab_account_id": Uuid::from_u128(rng.random_range(1..3)),
                "visible": visible}})
        }
        10 => json!({ "pipeline": pipeline(rng) }),
        11..15 => json!({"user": {"user_id": user(rng), "team_id": team(rng), "client_user_id": text(rng),
            "created_on": time(rng), "connected_sources": [],
            "fallback_time_zone": {"id": one_of(rng, &["Europe/Oslo", "Nowhere/None"]), "source_slug": words(rng),
                "updated_at": time(rng)}}}),
        15..18 => json!({"connection": {"team_id": team(rng), "user_id": user(rng), "provider": connected(rng)}}),
        _ => json!({"device": {"team_id": team(rng), "device": {"id": Uuid::from_u128(rng.random_range(1..9)),
            "user_id": user(rng), "provider": words(rng), "source_type": "watch", "device_model": maybe(rng, words)}}}),
    };
    serde_json::from_value(record).expect("a record")
}
