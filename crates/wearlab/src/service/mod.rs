//! The service: the interface's operations on the store.

mod api;
mod auth;
mod cursor;

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use wearlab_server::ApiError;
use wearlab_store::{Store, StoreError};

use crate::config::http::RateLimit;
use crate::http::{Backend, RateLimiter};

use cursor::CursorKey;

/// Answers the interface from a store.
pub struct Service {
    store: Store,
    settings: Settings,
    cursors: CursorKey,
    limiter: Option<RateLimiter>,
    now: fn() -> DateTime<Utc>,
}

/// What an operator decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a section of settings")]
#[non_exhaustive]
pub struct Settings {
    /// Whether a link token alone suffices to read the description of an OAuth provider, for linking pages in a
    /// browser. Off by default.
    pub link_token_suffices: bool,
    /// How often each key may ask. Off by default.
    pub rate_limit: Option<RateLimit>,
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
            limiter: settings.rate_limit.map(RateLimiter::new),
            now,
        })
    }
}

impl Backend for Service {
    async fn ready(&self) -> Result<(), ApiError> {
        self.store.check().await.map_err(store_error)
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
        // Whose files are gone is told once, by the probe of the files.
        StoreError::Busy | StoreError::Unreachable(_) | StoreError::Replaced { .. } => {
            ApiError::unavailable(std::time::Duration::from_secs(1))
        }
        other => ApiError::internal(other),
    }
}
