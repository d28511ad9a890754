//! The service: the interface's operations on the store.

mod api;
mod auth;
mod cursor;

use std::fmt;

use chrono::{DateTime, Utc};
use wearlab_server::ApiError;
use wearlab_store::{Store, StoreError};

use cursor::CursorKey;

/// Answers the interface from a store.
pub struct Service {
    store: Store,
    settings: Settings,
    cursors: CursorKey,
    now: fn() -> DateTime<Utc>,
}

/// What an operator decides.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Settings {
    /// Whether a link token alone suffices to read the description of an OAuth provider, for linking pages in a
    /// browser. Off by default.
    pub link_token_suffices: bool,
}

impl Service {
    /// A service on a store. `now` is the clock; `fresh_secret`, random bytes, becomes what cursors are signed with,
    /// unless the store has such a secret already.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub async fn new(
        store: Store,
        settings: Settings,
        now: fn() -> DateTime<Utc>,
        fresh_secret: [u8; 32],
    ) -> Result<Self, StoreError> {
        let cursors = CursorKey::of(&store, fresh_secret).await?;
        Ok(Self {
            store,
            settings,
            cursors,
            now,
        })
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("store", &self.store)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// What a failing store means to a caller.
fn store_error(error: StoreError) -> ApiError {
    match error {
        StoreError::Busy => ApiError::unavailable(std::time::Duration::from_secs(1)),
        other => ApiError::internal(other),
    }
}
