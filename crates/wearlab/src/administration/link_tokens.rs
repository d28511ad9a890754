//! Link tokens of a whole team.

use chrono::TimeDelta;
use wearlab_models::Uuid;
use wearlab_store::{Store, StoreError};

use super::keys::random;
use crate::clock;

/// The usual validity of a link token, in minutes.
pub(crate) const MINUTES: u32 = 60;

/// Creates a link token of a team, and deletes expired ones.
pub(crate) async fn create(store: &Store, team: Uuid, minutes: u32) -> Result<String, StoreError> {
    let token = random("wl_link_");
    let now = clock::now();
    let expires = now + TimeDelta::minutes(minutes.into());
    store
        .write(|write| {
            write.delete_link_tokens(now)?;
            let team = write.team(team)?.ok_or(StoreError::Missing { what: "team" })?;
            write.put_link_token(team, &token, expires)
        })
        .await?;
    Ok(token)
}
