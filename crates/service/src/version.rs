//! Versions of hidden parts, such as secrets: entity tags include them.

use serde::Serialize;
use wearlab_models::Encoded;
use wearlab_server::{ApiError, check_if_match_of_version};

use super::Service;

impl Service {
    /// Returns the version of a hidden part, as it is stored.
    pub(super) fn version(&self, hidden: &impl Serialize) -> Result<[u8; 16], ApiError> {
        self.opened()?.versions.version(hidden)
    }

    /// Fails with 412 unless `If-Match`, if it was sent, names an object as a read returns it now, with the version of
    /// its hidden part.
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
