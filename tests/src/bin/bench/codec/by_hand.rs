//! Reference: hand-written structs of a page of users.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Deserialize, Serialize)]
pub(super) struct UserList {
    users: Vec<User>,
    total: i64,
    offset: i64,
    limit: i64,
}

#[derive(Deserialize, Serialize)]
struct User {
    user_id: Uuid,
    team_id: Uuid,
    client_user_id: String,
    created_on: DateTime<FixedOffset>,
    connected_sources: Vec<ConnectedSource>,
    fallback_time_zone: FallbackTimeZone,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback_birth_date: Option<FallbackBirthDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ingestion_start: Option<NaiveDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ingestion_end: Option<NaiveDate>,
}

#[derive(Deserialize, Serialize)]
struct ConnectedSource {
    created_on: DateTime<FixedOffset>,
    source: Provider,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<Provider>,
}

#[derive(Deserialize, Serialize)]
struct Provider {
    name: String,
    slug: String,
    logo: String,
}

#[derive(Deserialize, Serialize)]
struct FallbackTimeZone {
    id: String,
    source_slug: String,
    updated_at: DateTime<FixedOffset>,
}

#[derive(Deserialize, Serialize)]
struct FallbackBirthDate {
    value: NaiveDate,
    source_slug: String,
    updated_at: DateTime<FixedOffset>,
}
