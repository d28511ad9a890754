//! Handling of a provider's redirect back from its consent page.

use serde::Deserialize;
use wearlab_store::{PendingAuthorization, Returned, StoreError};

use super::outcome::{ErrorCode, Finished, Outcome};
use super::{Linker, origin, scopes};

/// Query of a provider's redirect. Only these parameters are read.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct Callback {
    /// State of the authorization request.
    pub state: Option<String>,
    /// Code that is exchanged for tokens.
    pub code: Option<String>,
    /// Error of the provider in place of a code.
    pub error: Option<String>,
    /// Issuer, by RFC 9207.
    pub iss: Option<String>,
    /// Granted scopes.
    pub scope: Option<String>,
    /// Organisation and provider in the path, unless it is the shared path of settings of earlier versions.
    #[serde(skip)]
    pub path: Option<(String, String)>,
}

/// Grant that is exchanged for tokens.
pub(super) struct Grant {
    pub(super) code: String,
    /// Scopes of the redirect, which some providers name.
    pub(super) scopes: Option<Vec<String>>,
}

impl Linker {
    /// Completes a provider's redirect: exchanges the code, and creates the connection. `session` is the cookie of the
    /// user's browser.
    ///
    /// The exchange runs in a task of its own, which dropping this future does not stop. `held` is dropped at its end.
    pub async fn returned(
        &self,
        callback: Callback,
        session: Option<&str>,
        held: impl Send + 'static,
    ) -> Result<Outcome, StoreError> {
        let Some(state) = callback.state.as_deref().filter(|state| !state.is_empty()) else {
            return Ok(Outcome::UnknownState);
        };
        let now = (self.now)();
        let returned = self
            .store
            .write(|write| write.return_from_provider(state, session, now));
        let pending = match returned.await? {
            Returned::Unknown => return Ok(Outcome::UnknownState),
            Returned::OtherBrowser => return Ok(Outcome::OtherBrowser),
            Returned::Again(pending) => {
                return Ok(Outcome::Failed(Finished::from(&*pending), ErrorCode::AlreadyUsed));
            }
            Returned::First(pending) => *pending,
        };
        let linker = self.clone();
        let finishing = self.linking.tasks.spawn(async move {
            let _held = held;
            let finished = Finished::from(&pending);
            match linker.finish(pending, callback).await {
                Ok(None) => Ok(Outcome::Linked(finished)),
                Ok(Some(code)) => Ok(Outcome::Failed(finished, code)),
                Err(error) => Err(error),
            }
        });
        finishing
            .await
            .unwrap_or_else(|error| Err(StoreError::Engine(error.into())))
    }

    /// Completes an authorization whose user came back. Returns the error if there is no connection.
    async fn finish(&self, pending: PendingAuthorization, callback: Callback) -> Result<Option<ErrorCode>, StoreError> {
        // The redirect URI identifies the provider (RFC 9700, section 4.4.2.2).
        let expected = (pending.organisation.as_str(), pending.provider.as_str());
        let path = callback
            .path
            .as_ref()
            .map(|(organisation, slug)| (organisation.as_str(), slug.as_str()));
        if path != pending.secrets.has_own_redirect_uri.then_some(expected) {
            tracing::warn!(
                provider = pending.provider,
                "refused a response to an authorization request: it came to the redirect URI of another provider"
            );
            return self.refused(&pending, ErrorCode::WrongRedirectUri).await;
        }
        let stored = self
            .store
            .provider_settings(&pending.organisation, &pending.provider)
            .await?;
        let Some(stored) = stored else {
            return self.refused(&pending, ErrorCode::ProviderNotAvailable).await;
        };
        let token_origin = pending.secrets.token_origin.as_ref();
        if token_origin.is_some_and(|known| *known != origin(&stored.settings.token_url)) {
            tracing::warn!(
                provider = pending.provider,
                "a code is not exchanged: token_url was changed to another host meanwhile"
            );
            return self.refused(&pending, ErrorCode::ProviderNotAvailable).await;
        }
        // The issuer is checked first: a wrong provider may send an error, too (RFC 9207).
        if let Some(issuer) = &stored.settings.issuer
            && callback.iss.as_deref() != Some(issuer)
        {
            tracing::warn!(
                provider = pending.provider,
                "refused a response to an authorization request: it is of another issuer, or names none"
            );
            return self.refused(&pending, ErrorCode::WrongIssuer).await;
        }
        if let Some(error) = &callback.error {
            return self.refused(&pending, ErrorCode::of_provider(error)).await;
        }
        let Some(code) = callback.code.filter(|code| !code.is_empty()) else {
            return self.refused(&pending, ErrorCode::ProviderError).await;
        };
        let grant = Grant {
            code,
            scopes: callback
                .scope
                .as_deref()
                .map(|text| scopes::split(text, &pending.secrets.scopes)),
        };
        self.exchange(&pending, &stored, grant).await
    }

    /// Completes an authorization without a connection.
    pub(super) async fn refused(
        &self,
        pending: &PendingAuthorization,
        code: ErrorCode,
    ) -> Result<Option<ErrorCode>, StoreError> {
        self.store.write(|write| write.end_authorization(pending.id)).await?;
        Ok(Some(code))
    }
}
