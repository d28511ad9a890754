//! What linking a provider keeps: what link tokens are for, users at consent pages, and the tokens of connections.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::{ConnectedProvider, ConnectionStatus, OAuthProvider, ProviderSettings, Secret};

use crate::{KeyHash, OrganisationId, TeamId};

/// What a link token is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LinkOptions {
    /// The one provider to link, by its slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Where the browser goes in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<String>,
    /// The providers that are offered, by their slugs. All, if it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filter_on_providers: Vec<String>,
    /// True if the browser goes on where a provider cannot be linked before its consent page.
    pub redirects_on_error: bool,
    /// True if the browser goes on where the user leaves the link page.
    pub redirects_on_close: bool,
}

impl LinkOptions {
    /// Returns whether the token is for a provider.
    pub fn allow(&self, slug: &str) -> bool {
        let offered = self.filter_on_providers.is_empty() || self.filter_on_providers.iter().any(|one| one == slug);
        offered && self.provider.as_deref().is_none_or(|provider| provider == slug)
    }
}

/// A link token that is good: whose it is, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTokenOwner {
    /// The team.
    pub team: TeamId,
    /// The user. None for a token of the team as a whole, which links nothing.
    pub user_id: Option<Uuid>,
    /// When the token expires.
    pub expires: DateTime<Utc>,
    /// What the token is for.
    pub options: LinkOptions,
    /// What names the token in the store.
    pub hash: KeyHash,
}

/// A page of link tokens, without the tokens.
#[derive(Clone, Debug)]
pub struct LinkTokenPage {
    /// The tokens of this page.
    pub link_tokens: Vec<LinkTokenOwner>,
    /// The hash behind which the next page begins, or nothing on the last page.
    pub next: Option<KeyHash>,
}

/// How an organisation's users link a provider, with the secret.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct StoredProviderSettings {
    /// What may be shown.
    #[serde(flatten)]
    pub settings: ProviderSettings,
    /// The secret that the provider gave to its client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Secret>,
    /// The origins of tokens that do not name theirs: those of the URLs of these settings, if it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_origins: Option<TokenOrigins>,
}

/// The origins of the URLs of a provider that tokens are sent to: scheme, host and port.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct TokenOrigins {
    /// That of the token URL, where tokens are issued.
    pub token: String,
    /// That of the revocation URL, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation: Option<String>,
}

/// A provider that users of a team can link.
#[derive(Clone, Debug)]
pub struct LinkableProvider {
    /// How the catalogue describes it for linking.
    pub link: OAuthProvider,
    /// The organisation that has set it up.
    pub organisation: OrganisationId,
    /// How the organisation has set it up.
    pub settings: StoredProviderSettings,
}

/// A user who is sent to a provider's consent page.
pub struct NewAuthorization<'a> {
    /// The link token.
    pub link_token: &'a KeyHash,
    /// The slug of the provider.
    pub provider: &'a str,
    /// What the provider gives back. The store keeps a hash of it.
    pub state: &'a str,
    /// What the user's browser gives back. The store keeps a hash of it. None where no browser is known.
    pub session: Option<&'a str>,
    /// Until when the user may come back.
    pub expires: DateTime<Utc>,
    /// What the exchange of the code needs.
    pub secrets: &'a AuthorizationSecrets,
}

/// What an exchange of a code needs. It is encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct AuthorizationSecrets {
    /// What the challenge that went to the provider was made of (PKCE), if one went there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_verifier: Option<Secret>,
    /// The redirect URI that went to the provider.
    pub redirect_uri: String,
    /// The scopes that were requested.
    pub scopes: Vec<String>,
    /// The token of the link page, if the user came from there and may go back.
    pub link_token: Option<Secret>,
    /// True if the redirect URI is of this organisation and provider alone.
    #[serde(default)]
    pub has_own_redirect_uri: bool,
    /// The origin of the token URL, where the code is exchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_origin: Option<String>,
}

/// What names an authorization request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AuthorizationId(pub(crate) [u8; 16]);

impl fmt::Debug for AuthorizationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuthorizationId(..)")
    }
}

/// What became of an authorization request when a user came back from a provider.
#[derive(Clone, Debug)]
pub enum Returned {
    /// Its code may be exchanged, by whoever got this and nobody else.
    First(Box<PendingAuthorization>),
    /// Its code was sent to the provider before.
    Again(Box<PendingAuthorization>),
    /// It was begun in another browser, and is good for nothing from now on.
    OtherBrowser,
    /// There is none of this state, or it is expired.
    Unknown,
}

/// A user who came back from a provider's consent page.
#[derive(Clone, Debug)]
pub struct PendingAuthorization {
    /// What names the request.
    pub id: AuthorizationId,
    /// The organisation of the team.
    pub organisation: OrganisationId,
    /// The team.
    pub team: TeamId,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// What the link token is for.
    pub options: LinkOptions,
    /// What the exchange of the code needs.
    pub secrets: AuthorizationSecrets,
}

/// The tokens that a provider gave for a connection. They are encrypted.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct OAuthTokens {
    /// The access token.
    pub access_token: Secret,
    /// How the access token is sent, as the provider named it.
    pub token_type: String,
    /// The refresh token, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<Secret>,
    /// When the access token expires, if the provider said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// Where they may be sent to. Tokens of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<TokenOrigins>,
}

/// The number of a connection's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionId(pub(crate) i64);

/// A connection with its tokens.
#[derive(Clone, Debug)]
pub struct LinkedConnection {
    /// What names the connection.
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
    /// Until when some process refreshes them.
    pub refreshing_until: Option<DateTime<Utc>>,
    /// When they are to be refreshed, if they can be.
    pub refresh_due: Option<DateTime<Utc>>,
    /// How often a refresh has failed in a row.
    pub failures: u32,
    /// The provider's own id of the user, if it is known.
    pub provider_user_id: Option<String>,
    pub(crate) grant_id: [u8; 16],
    pub(crate) version: i64,
    pub(crate) uncertain: bool,
}

impl LinkedConnection {
    /// Returns whether a refresh may have been done at the provider whose response was lost.
    pub fn is_uncertain(&self) -> bool {
        self.uncertain
    }
}

/// What there is of a connection's tokens.
#[derive(Clone, Debug)]
pub enum ConnectionTokens {
    /// The connection was linked here.
    Linked(Box<LinkedConnection>),
    /// There is the connection, and no tokens of it.
    None(ConnectionStatus),
}

/// Which connections of an organisation to list.
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
    /// Only those behind this one.
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
    /// The provider's own id of the user, if it is known.
    pub provider_user_id: Option<String>,
}

/// A page of connections of an organisation. One with few or none need not be the last.
#[derive(Clone, Debug)]
pub struct ConnectionPage {
    /// The connections of this page.
    pub connections: Vec<ListedConnection>,
    /// What [`ConnectionFilter::after`] says for the next page, or nothing on the last page.
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
