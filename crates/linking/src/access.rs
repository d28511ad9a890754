//! Access tokens for connectors.

use std::time::Duration;

use uuid::Uuid;
use wearlab_models::ConnectionStatus;
use wearlab_store::{ConnectionTokens, LinkedConnection, OAuthTokens, StoreError, TeamId};

use super::Linker;
use super::refresh::{Refreshed, USER_ACTION_REQUIRED};

/// Maximum wait for a refresh by another process, and the interval of checks.
const MAX_WAIT: Duration = Duration::from_secs(8);
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Response to a connector.
#[derive(Clone, Debug)]
pub enum Access {
    /// Valid tokens, and the provider's own id of the user, if it was sent.
    Tokens(Box<OAuthTokens>, Option<String>),
    /// The user has to link the provider again.
    LinkAgain,
    /// The user must act at the provider before it refreshes the token.
    UserAction,
    /// The token has expired, and the provider does not refresh it now.
    Later,
    /// The connection does not exist, or was not linked with this service.
    None,
}

/// Response to a connector without waiting for a provider.
pub enum AccessNow {
    /// Final response.
    Settled(Access),
    /// The tokens are due for a refresh. The response has them if they are still valid.
    Due(Option<Access>),
}

/// Stored tokens.
enum StoredTokens {
    Settled(Access),
    /// Due for a refresh.
    Due {
        linked: Box<LinkedConnection>,
        /// True if the access token has not expired.
        good: bool,
    },
}

impl Linker {
    /// Returns the tokens of a connection without waiting for a provider.
    pub async fn access_now(&self, team: TeamId, user_id: Uuid, slug: &str) -> Result<AccessNow, StoreError> {
        Ok(match self.stored_tokens(team, user_id, slug).await? {
            StoredTokens::Settled(access) => AccessNow::Settled(access),
            StoredTokens::Due { linked, good } => AccessNow::Due(good.then(|| of(&linked, true))),
        })
    }

    async fn stored_tokens(&self, team: TeamId, user_id: Uuid, slug: &str) -> Result<StoredTokens, StoreError> {
        let linked = match self.store.connection_tokens(team, user_id, slug).await? {
            Some(ConnectionTokens::Linked(linked)) => linked,
            Some(ConnectionTokens::None(ConnectionStatus::Error)) => {
                return Ok(StoredTokens::Settled(Access::LinkAgain));
            }
            Some(ConnectionTokens::None(_)) | None => return Ok(StoredTokens::Settled(Access::None)),
        };
        let now = (self.now)();
        let good = linked.tokens.expires_at.is_none_or(|end| end > now);
        if linked.refresh_due.is_some_and(|due| due <= now) {
            return Ok(StoredTokens::Due { linked, good });
        }
        let waits_for_user = !good && self.waits_for_user(&linked).await?;
        Ok(StoredTokens::Settled(match waits_for_user {
            true => Access::UserAction,
            false => of(&linked, good),
        }))
    }

    /// Returns the tokens of a connection, after refreshing them if they are due. `held` is dropped once the provider has
    /// responded, also if this future is dropped before.
    pub async fn access(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
        held: impl Clone + Send + 'static,
    ) -> Result<Access, StoreError> {
        let began = tokio::time::Instant::now();
        loop {
            let (linked, good) = match self.stored_tokens(team, user_id, slug).await? {
                StoredTokens::Settled(access) => return Ok(access),
                StoredTokens::Due { linked, good } => (linked, good),
            };
            let now = (self.now)();
            if linked.refreshing_until.is_none_or(|until| until <= now) {
                let refreshed = match self.refresh(linked.id, held.clone()).await {
                    // A valid token is useful, although its successor cannot be stored now.
                    Err(error) if good && (error.is_transient() || matches!(error, StoreError::NoSecretKey { .. })) => {
                        return Ok(of(&linked, true));
                    }
                    refreshed => refreshed?,
                };
                match refreshed {
                    Refreshed::Fresh(tokens, account) => {
                        return Ok(Access::Tokens(Box::new(tokens), account.or(linked.provider_user_id)));
                    }
                    Refreshed::Refused => return Ok(Access::LinkAgain),
                    Refreshed::UserAction if !good => return Ok(Access::UserAction),
                    Refreshed::Later | Refreshed::UserAction => return Ok(of(&linked, good)),
                    Refreshed::Elsewhere => {}
                }
            } else if good {
                return Ok(of(&linked, true));
            }
            if began.elapsed() > MAX_WAIT {
                return Ok(Access::Later);
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
    }

    /// Returns true if the provider refreshes the tokens only after the user has acted there.
    async fn waits_for_user(&self, linked: &LinkedConnection) -> Result<bool, StoreError> {
        if linked.status != ConnectionStatus::Error {
            return Ok(false);
        }
        let team = self.store.team(linked.team);
        let connection = team.connection(linked.user_id, &linked.provider).await?;
        let error = connection.and_then(|connection| connection.error_details?.error_type);
        Ok(error.as_deref() == Some(USER_ACTION_REQUIRED))
    }
}

fn of(linked: &LinkedConnection, good: bool) -> Access {
    match good {
        true => Access::Tokens(Box::new(linked.tokens.clone()), linked.provider_user_id.clone()),
        false => Access::Later,
    }
}
