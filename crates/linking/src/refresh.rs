//! Refresh of the tokens of one connection.
//!
//! One process refreshes at a time, with a lease in the store. New tokens are durable before the lease is released, and
//! a provider that rotates refresh tokens invalidates the earlier one with its response. A process that crashes in
//! between leaves its lease: the process that takes it over tries the earlier token once more. If the provider still
//! accepts it, nothing is lost; otherwise the connection fails, so that the user is asked to link again.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use wearlab_delivery::backoff;
use wearlab_models::{ConnectionError, ConnectionStatus};
use wearlab_store::{
    ConnectionId, ConnectionTokens, LinkedConnection, OAuthTokens, StoreError, StoredProviderSettings,
};

use super::Linker;
use super::client::tokens_of;
use super::origins::{grant_origins, may_refresh};
use super::refresher::refresh_due;
use super::token_error::TokenError;
use super::token_request::TokenGrant;

/// `error_type` of a connection whose provider refreshes its tokens only after the user has acted there.
pub(super) const USER_ACTION_REQUIRED: &str = "user_action_required";

/// Duration of a lease: longer than any request to a provider and the writes after it.
const LEASE: TimeDelta = TimeDelta::minutes(2);
/// First and maximum pause after failures.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const MAX_PAUSE: Duration = Duration::from_secs(30 * 60);
/// Time after a token's expiry in which a refresh is still tried, before the connection fails.
const GRACE_PERIOD: TimeDelta = TimeDelta::hours(24);
/// Pause after a refresh whose new token has already expired. Without it, the refresh would be repeated without end.
const EXPIRED_PAUSE: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of attempts to store new tokens.
const ATTEMPTS: u32 = 10;

/// Outcome of a refresh.
#[derive(Clone, Debug)]
pub(super) enum Refreshed {
    /// New tokens, and the provider's own id of the user, if it was sent.
    Fresh(OAuthTokens, Option<String>),
    /// The provider did not return tokens, and may do so later.
    Later,
    /// The user must act at the provider first. The refresh is retried.
    UserAction,
    /// The user has to link again.
    Refused,
    /// Another process refreshes them, or they are deleted.
    Elsewhere,
}

impl Linker {
    /// Refreshes the tokens of a connection if they are due, and no other process does.
    pub(super) async fn refresh_due(&self, id: ConnectionId) -> Result<(), StoreError> {
        self.refresh(id, ()).await.map(drop)
    }

    /// Refreshes due tokens of a connection, in a task that completes even if this future is dropped, and drops `held` then.
    pub(super) async fn refresh(&self, id: ConnectionId, held: impl Send + 'static) -> Result<Refreshed, StoreError> {
        let linker = self.clone();
        let refreshing = self.linking.tasks.spawn(async move {
            let _held = held;
            let refreshed = linker.refresh_now(id).await;
            linker.count(&refreshed);
            refreshed
        });
        refreshing
            .await
            .unwrap_or_else(|error| Err(StoreError::Engine(error.into())))
    }

    fn count(&self, refreshed: &Result<Refreshed, StoreError>) {
        let outcome = match refreshed {
            Ok(Refreshed::Fresh(..)) => "refreshed",
            Ok(Refreshed::Later | Refreshed::UserAction) => "later",
            Ok(Refreshed::Refused) => "refused",
            // Another process counts it.
            Ok(Refreshed::Elsewhere) => return,
            Err(_) => "failed",
        };
        if let Some(observer) = &self.linking.observer {
            observer(outcome);
        }
    }

    async fn refresh_now(&self, id: ConnectionId) -> Result<Refreshed, StoreError> {
        let now = (self.now)();
        let leased = self
            .store
            .write(|write| write.lease_refresh(id, now, now + LEASE, true));
        let Some(linked) = leased.await? else {
            return Ok(Refreshed::Elsewhere);
        };
        let stored = self
            .store
            .provider_settings(&linked.organisation, &linked.provider)
            .await?;
        let Some(stored) = stored else {
            return self
                .schedule_retry(&linked, false, "the provider is no longer set up", None)
                .await;
        };
        if !may_refresh(&stored, &linked.tokens) {
            let message =
                "The provider is set up with another host for tokens, which does not get those of the earlier one.";
            return self.refuse(&linked, "provider_changed", message).await;
        }
        let Some(refresh_token) = &linked.tokens.refresh_token else {
            let message = "The access token has expired, and the provider gave none to refresh it.";
            return self.refuse(&linked, "token_expired", message).await;
        };
        let grant = TokenGrant::RefreshToken(refresh_token);
        let granted = &linked.tokens.scopes;
        match self.linking.tokens(&stored, &grant, granted, (self.now)()).await {
            Ok(response) => {
                let account = response.user_id.clone();
                let origins = grant_origins(&stored, &linked.tokens);
                let tokens = tokens_of(response, granted, linked.tokens.refresh_token.as_ref(), origins);
                self.store_refreshed(&linked, &stored, tokens, account).await
            }
            Err(TokenError::Grant) if linked.is_uncertain() => {
                let message = "The service was cut short while it refreshed the token, and the provider no longer accepts \
                               the earlier one.";
                self.refuse(&linked, "token_refresh_interrupted", message).await
            }
            Err(TokenError::Grant) => {
                let message = "The provider no longer accepts the stored grant.";
                self.refuse(&linked, "token_refresh_refused", message).await
            }
            Err(TokenError::UserAction) => {
                let message = "The provider asks the user to act there first, such as to renew a consent, a permission or a \
                               membership.";
                let error = (USER_ACTION_REQUIRED, message);
                let reason = "the user must act at the provider";
                self.schedule_retry(&linked, false, reason, Some(error)).await?;
                Ok(Refreshed::UserAction)
            }
            Err(TokenError::Client(reason)) => {
                tracing::error!(
                    provider = linked.provider,
                    reason,
                    "a provider refuses its client: check the provider's settings"
                );
                self.schedule_retry(&linked, false, reason, None).await
            }
            Err(TokenError::Unavailable { sent, reason }) => self.schedule_retry(&linked, sent, reason, None).await,
        }
    }

    /// Stores new tokens: there is no other copy of them, and the provider may have invalidated the earlier ones.
    async fn store_refreshed(
        &self,
        linked: &LinkedConnection,
        stored: &StoredProviderSettings,
        tokens: OAuthTokens,
        account: Option<String>,
    ) -> Result<Refreshed, StoreError> {
        let has_expired = tokens.expires_at.is_some_and(|end| end <= (self.now)());
        if has_expired {
            tracing::warn!(
                provider = linked.provider,
                "a provider refreshed a token with one that has expired already"
            );
        }
        let mut attempts = 0;
        loop {
            attempts += 1;
            let saved = self.store.write(|write| {
                let ingestion = self.ingestion();
                let ahead = self.linking.settings.refresh_ahead;
                let due = refresh_due(&tokens, ingestion.now, ahead, rand::random());
                let due = match has_expired {
                    true => Some(ingestion.now + EXPIRED_PAUSE),
                    false => due,
                };
                let saved = write.save_refreshed(linked, &tokens, due, &ingestion)?;
                if saved && account.is_some() {
                    write.put_provider_user(linked.team, linked.user_id, &linked.provider, account.as_deref())?;
                }
                Ok(saved)
            });
            match saved.await {
                Ok(true) => {
                    tracing::debug!(provider = linked.provider, "refreshed a token");
                    return Ok(Refreshed::Fresh(tokens, account));
                }
                // An earlier attempt may have been committed although it reported an error.
                Ok(false) if attempts > 1 && self.has(linked, &tokens).await? => {
                    return Ok(Refreshed::Fresh(tokens, account));
                }
                Ok(false) => {
                    tracing::info!(
                        provider = linked.provider,
                        "new tokens are not kept: the connection has ended or was linked again"
                    );
                    let account = account.or_else(|| linked.provider_user_id.clone());
                    self.revoke_later(stored.clone(), tokens, account);
                    return Ok(Refreshed::Elsewhere);
                }
                Err(error) if error.is_transient() && attempts < ATTEMPTS => {
                    tokio::time::sleep(backoff(FIRST_PAUSE / 20, FIRST_PAUSE, attempts, rand::random())).await;
                }
                Err(error) => {
                    tracing::error!(
                        provider = linked.provider,
                        error = &error as &dyn std::error::Error,
                        "new tokens of a connection are lost: they cannot be kept"
                    );
                    return Err(error);
                }
            }
        }
    }

    /// Returns whether the store has these tokens of a connection.
    pub(super) async fn has(&self, linked: &LinkedConnection, tokens: &OAuthTokens) -> Result<bool, StoreError> {
        let found = self
            .store
            .connection_tokens(linked.team, linked.user_id, &linked.provider)
            .await?;
        Ok(matches!(found, Some(ConnectionTokens::Linked(found)) if found.tokens == *tokens))
    }

    async fn refuse(
        &self,
        linked: &LinkedConnection,
        error_type: &str,
        message: &str,
    ) -> Result<Refreshed, StoreError> {
        let error = connection_error(error_type, message, (self.now)());
        let refused = self
            .store
            .write(|write| write.refuse_refresh(linked, error, &self.ingestion()));
        match refused.await? {
            true => {
                tracing::info!(
                    provider = linked.provider,
                    error_type,
                    "a connection no longer works: the user has to link it again"
                );
                Ok(Refreshed::Refused)
            }
            false => Ok(Refreshed::Elsewhere),
        }
    }

    /// Schedules a retry. Until then, the connection fails with `error`, or if its token expired long ago.
    async fn schedule_retry(
        &self,
        linked: &LinkedConnection,
        sent: bool,
        reason: &str,
        error: Option<(&str, &str)>,
    ) -> Result<Refreshed, StoreError> {
        let now = (self.now)();
        let failures = linked.failures.saturating_add(1);
        let pause = backoff(FIRST_PAUSE, MAX_PAUSE, failures, rand::random());
        let due = now + TimeDelta::from_std(pause).unwrap_or(GRACE_PERIOD);
        tracing::warn!(
            provider = linked.provider,
            reason,
            failures,
            "cannot refresh a token: retrying"
        );
        let expired = linked.tokens.expires_at.is_some_and(|end| end + GRACE_PERIOD <= now);
        let message = "The provider has not refreshed the token for a day.";
        let error = error.or(expired.then_some(("token_refresh_failed", message)));
        let scheduled = self.store.write(|write| {
            write.put_off_refresh(linked, due, sent)?;
            if let Some((error_type, message)) = error
                && linked.status != ConnectionStatus::Error
            {
                let error = connection_error(error_type, message, now);
                write.fail_connection(linked.team, linked.user_id, &linked.provider, error, &self.ingestion())?;
            }
            Ok(())
        });
        scheduled.await?;
        Ok(Refreshed::Later)
    }
}

/// Creates the error of a connection.
pub(super) fn connection_error(error_type: &str, message: &str, now: DateTime<Utc>) -> ConnectionError {
    ConnectionError::builder()
        .error_type(error_type)
        .error_message(message)
        .errored_at(now.fixed_offset())
        .build()
}
