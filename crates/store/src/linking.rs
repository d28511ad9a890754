//! Linking of providers: link tokens, authorization requests, and OAuth tokens of connections.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ConnectionStatus, OAuthProvider, ProviderSettings, Secret};

use crate::{KeyHash, OrganisationId, TeamId};

/// Options of a link token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LinkOptions {
    /// The one provider to link, by its slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// URL that the browser is finally redirected to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<String>,
    /// The offered providers, by their slugs. Empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filter_on_providers: Vec<String>,
    /// True if the browser is redirected when a provider cannot be linked before its consent page.
    pub redirects_on_error: bool,
    /// True if the browser is redirected when the user leaves the link page.
    pub redirects_on_close: bool,
}

impl LinkOptions {
    /// Returns whether the token allows a provider.
    pub fn allow(&self, slug: &str) -> bool {
        let offered = self.filter_on_providers.is_empty() || self.filter_on_providers.iter().any(|one| one == slug);
        offered && self.provider.as_deref().is_none_or(|provider| provider == slug)
    }
}

/// Owner and options of a valid link token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTokenOwner {
    /// The team.
    pub team: TeamId,
    /// The user. None for a token of the team as a whole, which links nothing.
    pub user_id: Option<Uuid>,
    /// Expiry time of the token.
    pub expires: DateTime<Utc>,
    /// Options of the token.
    pub options: LinkOptions,
    /// The hash of the token, which is its id in the store.
    pub hash: KeyHash,
}

/// A page of link tokens, without the tokens.
#[derive(Clone, Debug)]
pub struct LinkTokenPage {
    /// The tokens of this page.
    pub link_tokens: Vec<LinkTokenOwner>,
    /// The hash after which the next page begins. None on the last page.
    pub next: Option<KeyHash>,
}

/// Settings of a provider in an organisation, with the client secret.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct StoredProviderSettings {
    /// Settings without secrets.
    #[serde(flatten)]
    pub settings: ProviderSettings,
    /// The client secret that the provider issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Secret>,
    /// The origins for tokens without origins of their own. Defaults to those of the URLs of these settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_origins: Option<TokenOrigins>,
    /// True if the settings are those of a connector of the operator, and not the organisation's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_provisioned: bool,
}

/// Origins (scheme, host and port) of the URLs of a provider that tokens are sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct TokenOrigins {
    /// Origin of the token URL, which issues tokens.
    pub token: String,
    /// Origin of the revocation URL, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation: Option<String>,
}

/// A provider that users of a team can link.
#[derive(Clone, Debug)]
pub struct LinkableProvider {
    /// Description in the catalogue.
    pub link: OAuthProvider,
    /// The organisation that configured the provider.
    pub organisation: OrganisationId,
    /// Settings of the organisation for the provider.
    pub settings: StoredProviderSettings,
}

/// A new authorization request: a user who is sent to a provider's consent page.
pub struct NewAuthorization<'a> {
    /// The link token.
    pub link_token: &'a KeyHash,
    /// The slug of the provider.
    pub provider: &'a str,
    /// The `state` parameter that the provider returns. The store keeps a hash of it.
    pub state: &'a str,
    /// The session that the user's browser returns. The store keeps a hash of it. None if there is no browser session.
    pub session: Option<&'a str>,
    /// Expiry time of the request.
    pub expires: DateTime<Utc>,
    /// Secrets for the exchange of the code.
    pub secrets: &'a AuthorizationSecrets,
}

/// Secrets for the exchange of an authorization code. They are stored encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct AuthorizationSecrets {
    /// The PKCE code verifier, if a challenge was sent to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_verifier: Option<Secret>,
    /// The redirect URI that was sent to the provider.
    pub redirect_uri: String,
    /// The scopes that were requested.
    pub scopes: Vec<String>,
    /// The token of the link page, if the user came from there and may return.
    pub link_token: Option<Secret>,
    /// True if only this organisation and provider use the redirect URI.
    #[serde(default)]
    pub has_own_redirect_uri: bool,
    /// Origin of the token URL at which the code is exchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_origin: Option<String>,
}

/// The id of an authorization request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AuthorizationId(pub(crate) [u8; 16]);

impl fmt::Debug for AuthorizationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuthorizationId(..)")
    }
}

/// Status of an authorization request when a user returns from a provider.
#[derive(Clone, Debug)]
pub enum Returned {
    /// The first return. Only the caller that gets this may exchange the code.
    First(Box<PendingAuthorization>),
    /// A repeated return. The code was already sent to the provider.
    Again(Box<PendingAuthorization>),
    /// The request was started in another browser. It is invalid from now on.
    OtherBrowser,
    /// No request has this state, or it is expired.
    Unknown,
}

/// An authorization request whose user returned from the provider's consent page.
#[derive(Clone, Debug)]
pub struct PendingAuthorization {
    /// The id of the request.
    pub id: AuthorizationId,
    /// The organisation of the team.
    pub organisation: OrganisationId,
    /// The team.
    pub team: TeamId,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// Options of the link token.
    pub options: LinkOptions,
    /// Secrets for the exchange of the code.
    pub secrets: AuthorizationSecrets,
}

/// The OAuth tokens of a connection. They are stored encrypted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct OAuthTokens {
    /// The access token.
    pub access_token: Secret,
    /// The token type, as the provider named it.
    pub token_type: String,
    /// The refresh token, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<Secret>,
    /// Expiry time of the access token, if the provider gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// The origins that the tokens may be sent to. None for tokens of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<TokenOrigins>,
}

/// The number of a connection's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionId(pub(crate) i64);

/// A connection with its tokens.
#[derive(Clone, Debug)]
pub struct LinkedConnection {
    /// The id of the connection.
    pub id: ConnectionId,
    /// The organisation of the team.
    pub organisation: OrganisationId,
    /// The team.
    pub team: TeamId,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// The state of the connection.
    pub status: ConnectionStatus,
    /// The tokens.
    pub tokens: OAuthTokens,
    /// End of the current refresh lease, if a process refreshes the tokens.
    pub refreshing_until: Option<DateTime<Utc>>,
    /// Time of the next refresh, if the tokens can be refreshed.
    pub refresh_due: Option<DateTime<Utc>>,
    /// Number of failed refreshes in a row.
    pub failures: u32,
    /// The provider's own id of the user, if it is stored.
    pub provider_user_id: Option<String>,
    pub(crate) grant_id: [u8; 16],
    pub(crate) version: i64,
    pub(crate) uncertain: bool,
}

impl LinkedConnection {
    /// Returns whether a refresh may have succeeded at the provider although its response was lost.
    pub fn is_uncertain(&self) -> bool {
        self.uncertain
    }
}

/// Tokens of a connection.
#[derive(Clone, Debug)]
pub enum ConnectionTokens {
    /// The connection was linked here.
    Linked(Box<LinkedConnection>),
    /// The connection exists without tokens.
    None(ConnectionStatus),
}

/// Filter of connections of an organisation.
#[derive(Clone, Debug, Default)]
pub struct ConnectionFilter<'a> {
    /// Only those to this provider.
    pub provider: Option<&'a str>,
    /// Only those of this account at the provider.
    pub provider_user_id: Option<&'a str>,
    /// Only those of users of this team.
    pub team_id: Option<Uuid>,
    /// Only those with this status.
    pub status: Option<&'a ConnectionStatus>,
    /// Only those after this one.
    pub after: Option<i64>,
}

/// A connection in a list of those of an organisation.
#[derive(Clone, Debug)]
pub struct ListedConnection {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The connection.
    pub connection: ConnectedProvider,
    /// The provider's own id of the user, if it is stored.
    pub provider_user_id: Option<String>,
}

/// A page of connections of an organisation. A short or empty page need not be the last.
#[derive(Clone, Debug)]
pub struct ConnectionPage {
    /// The connections of this page.
    pub connections: Vec<ListedConnection>,
    /// Value of [`ConnectionFilter::after`] for the next page. None on the last page.
    pub next: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::LinkOptions;

    #[test]
    fn a_token_is_for_the_providers_that_it_names() {
        let all = LinkOptions::default();
        assert!(all.allow("stridewell"));
        let one = LinkOptions {
            provider: Some("stridewell".to_owned()),
            ..LinkOptions::default()
        };
        assert!(one.allow("stridewell") && !one.allow("pulsebay"));
        let some = LinkOptions {
            filter_on_providers: vec!["pulsebay".to_owned(), "tidalbeat".to_owned()],
            ..LinkOptions::default()
        };
        assert!(some.allow("pulsebay") && !some.allow("stridewell"));
        let none = LinkOptions {
            provider: Some("stridewell".to_owned()),
            ..some
        };
        assert!(!none.allow("stridewell") && !none.allow("pulsebay"));
    }
}
