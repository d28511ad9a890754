//! Link tokens of a whole team.

use chrono::TimeDelta;
use wearlab_models::Uuid;
use wearlab_store::{Actor, Store, StoreError};

use super::keys::random;
use crate::LOCAL;

/// Default validity of a link token, in minutes.
pub const MINUTES: u32 = 60;

/// Returns a new link token. The store keeps only a hash, so this is the only copy.
pub fn new_link_token() -> String {
    random("wl_link_")
}

/// Creates a link token of a team, and deletes expired ones.
pub async fn create(store: &Store, team: Uuid, minutes: u32) -> Result<String, StoreError> {
    let token = new_link_token();
    let now = wearlab_clock::now();
    let expires = now + TimeDelta::minutes(minutes.into());
    store
        .write(|write| {
            write.delete_link_tokens(now)?;
            let team = write.team(team)?.ok_or(StoreError::Missing { what: "team" })?;
            write.put_link_token(team, &token, expires)?;
            let actor = Actor {
                key_id: LOCAL.to_owned(),
                request_id: format!("req_{}", wearlab_clock::fresh_id().simple()),
            };
            write.audit(team, &actor, now, "create_link_token", None)
        })
        .await?;
    Ok(token)
}
