//! New keys and tokens.

use chrono::{DateTime, Utc};
use rand::distr::{Alphanumeric, SampleString};
use wearlab_models::Uuid;
use wearlab_store::{KeyRecord, KeyScopes};

/// Whose a new key is to be.
#[derive(Clone, Debug)]
pub(crate) enum KeyFor {
    /// A team: an API key.
    Team(Uuid),
    /// An organisation: a management key.
    Organisation(String),
}

/// A new key with its record. The store keeps a hash of it, so that this is the only time that it is known.
pub(crate) fn new_key(
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

/// A prefix followed by 32 random letters and digits.
pub(crate) fn random(prefix: &str) -> String {
    format!("{prefix}{}", Alphanumeric.sample_string(&mut rand::rng(), 32))
}
