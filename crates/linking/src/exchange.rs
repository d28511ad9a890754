//! Exchange of a code for tokens and a connection.

use std::time::Duration;

use wearlab_delivery::backoff;
use wearlab_models::{ConnectedProvider, ConnectionStatus};
use wearlab_store::{
    ConnectionTokens, OAuthTokens, PendingAuthorization, StoreError, StoredProviderSettings, Transaction,
};

use super::callback::Grant;
use super::client::tokens_of;
use super::origins::origins;
use super::outcome::ErrorCode;
use super::refresher::refresh_due;
use super::token_error::TokenError;
use super::token_request::TokenGrant;
use super::{Linker, scopes};

/// Maximum attempts to store tokens, and the first and the maximum pause between two.
const ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(2);

impl Linker {
    /// Exchanges a code, and stores the tokens with the connection and its event. Returns the error if there is no
    /// connection.
    pub(super) async fn exchange(
        &self,
        pending: &PendingAuthorization,
        stored: &StoredProviderSettings,
        grant: Grant,
    ) -> Result<Option<ErrorCode>, StoreError> {
        let secrets = &pending.secrets;
        // Checked before the code is used up: the tokens could not be stored.
        if let Err(error) = self.require_secret_key() {
            tracing::error!(error = &error as &dyn std::error::Error, "a code is not exchanged");
            return self.refused(pending, ErrorCode::LinkingNotAvailable).await;
        }
        let code = TokenGrant::Code {
            code: &grant.code,
            redirect_uri: &secrets.redirect_uri,
            verifier: secrets.code_verifier.as_ref(),
        };
        let now = (self.now)();
        let response = self.linking.tokens(stored, &code, &secrets.scopes, now).await;
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                tracing::warn!(
                    provider = pending.provider,
                    ?error,
                    "a provider gave no tokens for a code"
                );
                let code = match error {
                    TokenError::Grant | TokenError::Client(_) => ErrorCode::ExchangeRefused,
                    TokenError::UserAction => ErrorCode::UserActionRequired,
                    TokenError::Unavailable { .. } => ErrorCode::ProviderUnavailable,
                };
                return self.refused(pending, code).await;
            }
        };
        let account = response.user_id.clone();
        if account.is_none() && stored.settings.provider_user_id_path.is_some() {
            let provider = &pending.provider;
            tracing::warn!(
                provider,
                "the response of a provider has no id of the user at provider_user_id_path"
            );
        }
        let requested = grant.scopes.as_deref().unwrap_or(&secrets.scopes);
        let tokens = tokens_of(response, requested, None, origins(&stored.settings));
        match self.keep(pending, stored, &tokens, account.as_deref()).await {
            Ok(true) => Ok(None),
            kept => {
                // The provider considers them valid.
                self.revoke_later(stored.clone(), tokens, account);
                kept.map(|_| Some(ErrorCode::Expired))
            }
        }
    }

    /// Stores tokens, with retries if the store is busy or unavailable: there is no other copy of them.
    async fn keep(
        &self,
        pending: &PendingAuthorization,
        stored: &StoredProviderSettings,
        tokens: &OAuthTokens,
        account: Option<&str>,
    ) -> Result<bool, StoreError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let kept = self.store.write(|write| {
                let linked = self.link(write, pending, stored, tokens)?;
                if linked {
                    write.put_provider_user(pending.team, pending.user_id, &pending.provider, account)?;
                }
                Ok(linked)
            });
            match kept.await {
                // An earlier attempt may have been committed although it reported an error.
                Ok(false) if attempts > 1 && self.is_stored(pending, tokens).await? => return Ok(true),
                Err(error) if error.is_transient() && attempts < ATTEMPTS => {
                    tokio::time::sleep(backoff(FIRST_PAUSE, MAX_PAUSE, attempts, rand::random())).await;
                }
                kept => return kept,
            }
        }
    }

    async fn is_stored(&self, pending: &PendingAuthorization, tokens: &OAuthTokens) -> Result<bool, StoreError> {
        let found = self
            .store
            .connection_tokens(pending.team, pending.user_id, &pending.provider)
            .await?;
        Ok(matches!(found, Some(ConnectionTokens::Linked(found)) if found.tokens == *tokens))
    }

    fn link(
        &self,
        write: &mut Transaction<'_>,
        pending: &PendingAuthorization,
        stored: &StoredProviderSettings,
        tokens: &OAuthTokens,
    ) -> Result<bool, StoreError> {
        let ingestion = self.ingestion();
        let before = write.connection(pending.team, pending.user_id, &pending.provider)?;
        let known = before.map(|before| before.resource_availability).unwrap_or_default();
        let catalogued = write.oauth_provider(&pending.provider)?;
        let connection = ConnectedProvider::builder()
            .name(catalogued.as_ref().map_or(&pending.provider, |known| &known.name))
            .slug(&pending.provider)
            .logo(catalogued.and_then(|known| known.logo).unwrap_or_default())
            .status(ConnectionStatus::Connected)
            .created_on(ingestion.now.fixed_offset())
            .resource_availability(scopes::availability(&stored.settings, &tokens.scopes, known))
            .build();
        let due = refresh_due(
            tokens,
            ingestion.now,
            self.linking.settings.refresh_ahead,
            rand::random(),
        );
        write.link(pending, connection, tokens, due, &ingestion)
    }
}
