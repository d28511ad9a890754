//! Versions of what reads do not show, such as secrets: entity tags include them.

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;
use wearlab_models::Encoded;
use wearlab_server::{ApiError, check_if_match_of_version};
use wearlab_store::{Store, StoreError};

use super::Service;

const LABEL: &[u8] = b"wearlab version 1";

/// The key of versions: without it, nobody can tell by a version which secret it is of.
pub(super) struct VersionKey(Vec<u8>);

impl VersionKey {
    pub(super) async fn of(store: &Store) -> Result<Self, StoreError> {
        store.version_key().await.map(Self)
    }

    fn version(&self, hidden: &impl Serialize) -> Result<[u8; 16], ApiError> {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            unreachable!("a key of any length is good")
        };
        mac.update(LABEL);
        mac.update(&serde_json::to_vec(hidden).map_err(ApiError::internal)?);
        let mut version = [0; 16];
        version.copy_from_slice(&mac.finalize().into_bytes()[..16]);
        Ok(version)
    }
}

impl Service {
    /// The version of what a read does not show: `hidden`, as it is stored.
    pub(super) fn version(&self, hidden: &impl Serialize) -> Result<[u8; 16], ApiError> {
        self.opened()?.versions.version(hidden)
    }

    /// Fails with 412 unless `If-Match`, where it was sent, names an object as a read returns it now, with the version of
    /// what that does not show.
    pub(super) fn check_version<T: Serialize>(
        &self,
        if_match: Option<&str>,
        shown: &T,
        hidden: &impl Serialize,
    ) -> Result<(), ApiError> {
        let current = Encoded::encode(shown).map_err(ApiError::internal)?;
        check_if_match_of_version(if_match, current.as_bytes(), &self.version(hidden)?)
    }
}
