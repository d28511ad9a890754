//! Teams and users of the soak test.

use std::iter;

use serde_json::{Value, json};
use wearlab_models::Uuid;

/// Providers that every user is always connected with.
pub(crate) const STEADY: [&str; 2] = ["stridewell", "pulsely"];
/// Provider that users connect and disconnect.
pub(crate) const FICKLE: &str = "ringly";

/// Number of teams, so that each of several services has some.
pub(crate) const TEAMS: usize = 6;
/// Id of the first team.
const FIRST_TEAM: u128 = 1;
/// Id of the first user.
const FIRST: u128 = 0x1000;
/// Maximum number of users of a team. Users are counted across teams.
const BLOCK: usize = 10_000;

/// Returns the id of a team.
pub(crate) fn team_id(team: usize) -> Uuid {
    Uuid::from_u128(FIRST_TEAM + team as u128)
}

/// Returns the team with an id.
pub(crate) fn team_of_id(id: &str) -> Option<usize> {
    let id: Uuid = id.parse().ok()?;
    usize::try_from(id.as_u128().checked_sub(FIRST_TEAM)?).ok()
}

/// Returns the API key of a team.
pub(crate) fn key(team: usize) -> String {
    format!("wl_team_soak_{team:04}")
}

/// Returns the team of a user.
pub(crate) fn team_of(user: usize) -> usize {
    user / BLOCK
}

/// Returns the first `count` users of a team.
pub(crate) fn users_of(team: usize, count: usize) -> impl Iterator<Item = usize> {
    (team * BLOCK..).take(count)
}

/// Returns the id of a user.
pub(crate) fn user_id(user: usize) -> Uuid {
    Uuid::from_u128(FIRST + user as u128)
}

/// Returns the user with an id.
pub(crate) fn user_of(id: Uuid) -> Option<usize> {
    usize::try_from(id.as_u128().checked_sub(FIRST)?).ok()
}

/// Returns whether the arrivals of a user have ids. The others test repeats without ids.
pub(crate) fn has_ids(user: usize) -> bool {
    user.is_multiple_of(2)
}

/// Returns the first day of January whose data a user wants.
pub(crate) fn first_day(user: usize) -> u32 {
    if user.is_multiple_of(5) { 10 } else { 1 }
}

/// Returns a connection as in the list of a user's providers. Another day makes it another connection.
pub(crate) fn connection(slug: &str, name: &str, made_on: u32) -> Value {
    json!({
        "name": name, "slug": slug, "logo": "https://logos.example/logo.svg", "status": "connected",
        "created_on": format!("2025-{:02}-{:02}T00:00:00Z", 1 + made_on / 28 % 12, 1 + made_on % 28),
        "resource_availability": {},
    })
}

/// Returns the records of a team to import.
pub(crate) fn records(team: usize, users: usize, pipeline: &Value) -> impl Iterator<Item = String> + use<> {
    let team_id = team_id(team);
    let head = [
        json!({"organisation": {"org_id": "org_soak"}}),
        json!({"team": {"team_id": team_id, "org_id": "org_soak", "environment": "sandbox", "region": "eu"}}),
        json!({"key": {"team_id": team_id, "name": "soak", "key": key(team)}}),
        self::pipeline(team, pipeline),
    ];
    let users = users_of(team, users).flat_map(|user| iter::once(self::user(user)).chain(connections(user)));
    head.into_iter().chain(users).map(|record| record.to_string())
}

/// Returns the record of a team's pipeline, with the part of a sink.
pub(crate) fn pipeline(team: usize, part: &Value) -> Value {
    let mut whole = json!({
        "team_id": team_id(team), "push_historical_data": true, "provider_raw_data": false, "event_type_prefixes": [],
    });
    if let (Some(whole), Value::Object(part)) = (whole.as_object_mut(), part) {
        whole.extend(part.clone());
    }
    json!({ "pipeline": whole })
}

fn user(user: usize) -> Value {
    let mut fields = json!({
        "user_id": user_id(user), "team_id": team_id(team_of(user)), "client_user_id": format!("client-{user}"),
        "created_on": "2026-01-01T00:00:00Z", "connected_sources": [],
        "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-01T00:00:00Z"},
    });
    if first_day(user) > 1 {
        fields["ingestion_start"] = json!(format!("2026-01-{:02}", first_day(user)));
    }
    json!({ "user": fields })
}

fn connections(user: usize) -> impl Iterator<Item = Value> {
    let connected = move |slug: &str| json!({"team_id": team_id(team_of(user)), "user_id": user_id(user), "provider": connection(slug, slug, 0)});
    STEADY.map(|slug| json!({ "connection": connected(slug) })).into_iter()
}
