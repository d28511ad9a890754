//! Background task that refreshes tokens before they expire.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{FutureExt, StreamExt, stream};
use wearlab_delivery::backoff;
use wearlab_store::{DeprecatedForms, OAuthTokens, Store, StoreError};

use super::{Linker, Linking};

/// Interval between two searches for tokens that are due.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum pause after consecutive failures.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Maximum concurrent refreshes.
const MAX_CONCURRENT: usize = 8;
/// Maximum due tokens of one search.
const BATCH: usize = 64;

/// Refreshes due tokens, and ends interrupted exchanges. If several run on one store, one of them refreshes a token.
pub struct Refresher(Linker);

impl Refresher {
    /// Creates the refresher of a store. `now` is the clock, and `forms` are the deprecated forms of events.
    pub fn new(linking: Arc<Linking>, store: Store, now: fn() -> DateTime<Utc>, forms: DeprecatedForms) -> Self {
        Self(Linker {
            linking,
            store,
            now,
            forms,
        })
    }

    /// Refreshes due tokens until `stop` is ready, and then completes the refreshes in progress.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut failures = 0;
        loop {
            match AssertUnwindSafe(self.look()).catch_unwind().await {
                Ok(Ok(())) => failures = 0,
                Ok(Err(error)) => {
                    // Logged once for each outage: other parts of the service report errors of the store, too.
                    if failures == 0 {
                        tracing::warn!(error = &error as &dyn std::error::Error, "cannot refresh tokens");
                    }
                    failures += 1;
                }
                Err(_) => tracing::error!("refreshing tokens panicked"),
            }
            let pause = match failures {
                0 => INTERVAL,
                _ => backoff(INTERVAL, MAX_PAUSE, failures, rand::random()).max(INTERVAL),
            };
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Refreshes the tokens that are due now.
    ///
    /// # Errors
    ///
    /// If the store fails, or tokens are due and cannot be stored without a secret key.
    pub async fn look(&self) -> Result<(), StoreError> {
        let linker = &self.0;
        linker.end_interrupted().await?;
        loop {
            let due = linker.store.due_refreshes((linker.now)(), BATCH).await?;
            let count = due.len();
            if count > 0 {
                linker.require_secret_key()?;
            }
            let refreshed = stream::iter(due)
                .map(|id| async move { linker.refresh_due(id).await })
                .buffer_unordered(MAX_CONCURRENT);
            let refreshed: Vec<_> = refreshed.collect().await;
            refreshed.into_iter().collect::<Result<Vec<_>, _>>()?;
            if count < BATCH {
                return Ok(());
            }
        }
    }
}

/// Returns the time of a refresh: `ahead` of the expiry, earlier by up to a quarter of that by `random` (0 to 1), but
/// not before half of the lifetime. Tokens without a refresh token are due when they expire. None if they do not
/// expire.
pub(super) fn refresh_due(
    tokens: &OAuthTokens,
    now: DateTime<Utc>,
    ahead: Duration,
    random: f64,
) -> Option<DateTime<Utc>> {
    let end = tokens.expires_at?;
    if tokens.refresh_token.is_none() {
        return Some(end);
    }
    let ahead = TimeDelta::from_std(ahead.mul_f64(1.0 + random.clamp(0.0, 1.0) / 4.0)).unwrap_or(TimeDelta::MAX);
    let half = now + (end - now) / 2;
    Some(end.checked_sub_signed(ahead).unwrap_or(half).max(half))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::{DateTime, TimeDelta};
    use wearlab_models::Secret;
    use wearlab_store::OAuthTokens;

    use super::refresh_due;

    #[test]
    fn tokens_are_refreshed_ahead_of_their_end() {
        let now = DateTime::UNIX_EPOCH;
        let minutes = |minutes| now + TimeDelta::minutes(minutes);
        let tokens = |expires_at, refresh: Option<&str>| OAuthTokens {
            access_token: Secret::new("access"),
            token_type: "Bearer".to_owned(),
            refresh_token: refresh.map(Secret::new),
            expires_at,
            scopes: Vec::new(),
            origins: None,
        };
        let ahead = Duration::from_secs(600);
        for (end, random, due) in [(60, 0.0, 50), (60, 1.0, 47), (16, 0.0, 8), (2, 1.0, 1)] {
            let found = refresh_due(&tokens(Some(minutes(end)), Some("r")), now, ahead, random);
            assert_eq!(found.map(|at| (at - now).num_minutes()), Some(due), "{end}");
        }
        let never = Duration::MAX / 4;
        let found = refresh_due(&tokens(Some(minutes(60)), Some("r")), now, never, 0.5);
        assert_eq!(found, Some(minutes(30)));
        assert_eq!(refresh_due(&tokens(None, Some("r")), now, ahead, 0.5), None);
        let found = refresh_due(&tokens(Some(minutes(60)), None), now, ahead, 0.5);
        assert_eq!(found, Some(minutes(60)));
    }
}
