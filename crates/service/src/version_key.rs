//! Key of versions.

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;
use wearlab_server::ApiError;
use wearlab_store::{Store, StoreError};

const LABEL: &[u8] = b"wearlab version 1";

/// Key of versions: without it, nobody can derive a secret from its version.
pub(super) struct VersionKey(Vec<u8>);

impl VersionKey {
    pub(super) async fn of(store: &Store) -> Result<Self, StoreError> {
        store.version_key().await.map(Self)
    }

    pub(super) fn version(&self, hidden: &impl Serialize) -> Result<[u8; 16], ApiError> {
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
