//! Population of the stores: users of one team, each with a connection and a device.

use serde_json::{Value, json};
use wearlab_models::Uuid;

/// Version of the population of kept stores. Increase it when the population or its storage changes.
pub(crate) const VERSION: u32 = 2;
/// Team's key.
pub(crate) const KEY: &str = "wl_team_bench_key";
/// Team.
pub(crate) const TEAM: Uuid = Uuid::from_u128(1);
/// Multiplier that spreads ids of users over the whole range. It is odd.
const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// Returns the id of a user.
pub(crate) fn user_id(user: u32) -> Uuid {
    let id = (u128::from(user) + 1).wrapping_mul(SPREAD);
    uuid::Builder::from_random_bytes(id.to_be_bytes()).into_uuid()
}

/// Returns the records of `users` users, as lines to import.
pub(crate) fn lines(users: u32) -> impl Iterator<Item = String> {
    let head = [
        json!({"organisation": {"org_id": "org_bench"}}),
        json!({"team": {"team_id": TEAM, "org_id": "org_bench", "environment": "production", "region": "eu"}}),
        json!({"key": {"team_id": TEAM, "name": "bench", "key": KEY}}),
    ];
    let of = |user| [self::user(TEAM, user), connection(TEAM, user), device(user)];
    head.into_iter()
        .chain((0..users).flat_map(of))
        .map(|record| record.to_string())
}

/// Returns the team of a user, among `teams` teams.
pub(crate) fn team_id(user: u32, teams: u32) -> Uuid {
    Uuid::from_u128(u128::from(user % teams) + 1)
}

/// Returns the records of `users` users in `teams` teams, in turns, as lines to import. Users have connections and no
/// devices.
pub(crate) fn lines_of_teams(teams: u32, users: u32) -> impl Iterator<Item = String> {
    let team = move |team| json!({"team": {"team_id": team_id(team, teams), "org_id": "org_bench", "environment": "production", "region": "eu"}});
    let of = move |user| {
        [
            self::user(team_id(user, teams), user),
            connection(team_id(user, teams), user),
        ]
    };
    [json!({"organisation": {"org_id": "org_bench"}})]
        .into_iter()
        .chain((0..teams).map(team))
        .chain((0..users).flat_map(of))
        .map(|record| record.to_string())
}

/// Returns the record of a team's pipeline, with the part of a destination.
pub(crate) fn pipeline(part: &Value) -> Value {
    let mut whole = json!({
        "team_id": TEAM, "push_historical_data": true, "provider_raw_data": false, "event_type_prefixes": [],
    });
    if let (Some(whole), Value::Object(part)) = (whole.as_object_mut(), part) {
        whole.extend(part.clone());
    }
    json!({ "pipeline": whole })
}

/// Returns a point in time that differs for each user.
fn time(user: u32) -> String {
    let (day, second) = (user / 86_400 % 28 + 1, user % 86_400);
    format!(
        "2026-01-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

fn user(team: Uuid, user: u32) -> Value {
    json!({"user": {
        "user_id": user_id(user), "team_id": team, "client_user_id": format!("client-{user:07}"),
        "created_on": time(user), "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": time(user)},
        "fallback_birth_date": {"value": format!("{}-07-04", 1940 + user % 60), "source_slug": "stridewell", "updated_at": time(user)},
        "ingestion_start": "2025-09-21", "ingestion_end": null,
    }})
}

fn connection(team: Uuid, user: u32) -> Value {
    let granted = |resource: &str| {
        json!({"status": "available", "scope_requirements": {
            "user_granted": {"required": [format!("{resource}.read")], "optional": []},
            "user_denied": {"required": [], "optional": [format!("{resource}.history")]},
        }})
    };
    json!({"connection": {"team_id": team, "user_id": user_id(user), "provider": {
        "name": "Stridewell", "slug": "stridewell", "logo": "https://cdn.wearlab.example/logos/stridewell.svg",
        "status": "connected", "created_on": time(user), "error_details": null,
        "resource_availability": {"activity": granted("activity"), "sleep": granted("sleep"), "workouts": granted("workouts")},
    }}})
}

fn device(user: u32) -> Value {
    json!({"device": {"team_id": TEAM, "device": {
        "id": Uuid::from_u128(u128::from(user) + 1), "user_id": user_id(user), "provider": "stridewell", "source_type": "watch",
        "app_id": "example.stridewell.app", "device_manufacturer": "Stridewell", "device_model": "Stridewell Pace 3",
        "device_version": "5.10.2", "device_id": format!("pace-{user}"),
    }}})
}
