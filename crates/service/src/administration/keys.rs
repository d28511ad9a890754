//! New keys and tokens.

use chrono::{DateTime, Utc};
use rand::distr::{Alphanumeric, SampleString};
use wearlab_models::Uuid;
use wearlab_store::{KeyRecord, KeyScopes};

/// Owner of a new key.
#[derive(Clone, Debug)]
pub enum KeyFor {
    /// Team: an API key.
    Team(Uuid),
    /// Organisation: a management key.
    Organisation(String),
}

/// Creates a key and its record. The store keeps only a hash, so this is the only copy of the key.
pub fn new_key(
    owner: KeyFor,
    name: Option<String>,
    scopes: KeyScopes,
    now: DateTime<Utc>,
    random: impl FnOnce(&str) -> String,
) -> KeyRecord {
    let record = match owner {
        KeyFor::Team(team_id) => KeyRecord::of_team(team_id, random("wl_team_")),
        KeyFor::Organisation(org_id) => KeyRecord::of_organisation(org_id, random("wl_mgmt_")),
    };
    KeyRecord {
        name,
        scopes: Some(scopes),
        created_on: Some(now.fixed_offset()),
        ..record
    }
}

/// Returns a prefix followed by 32 random letters and digits.
pub fn random(prefix: &str) -> String {
    format!("{prefix}{}", Alphanumeric.sample_string(&mut rand::rng(), 32))
}
