//! Facts of the provider, and its OAuth settings.

use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, RevocationMethod, TokenAuthMethod};

use super::collections::COLLECTIONS;

/// URL of the API.
pub(super) const API_URL: &str = "https://api.prod.whoop.com/developer";
/// URL of the OAuth endpoints.
const OAUTH_URL: &str = "https://api.prod.whoop.com/oauth/oauth2";
/// Scope of a refresh token, which each refresh names again.
const OFFLINE: &str = "offline";
/// Requests of an application in a minute, and in a day.
const REQUESTS_A_MINUTE: NonZeroU32 = NonZeroU32::new(100).expect("not zero");
const REQUESTS_A_DAY: NonZeroU32 = NonZeroU32::new(10_000).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 102,
    slug: "whoop",
    name: "WHOOP",
    description: "Wrist bands that measure sleep, recovery, strain and workouts.",
    source_type: "watch",
    collections: COLLECTIONS,
    quotas: &[
        Quota {
            requests: REQUESTS_A_MINUTE,
            period: Duration::from_secs(60),
        },
        Quota {
            requests: REQUESTS_A_DAY,
            period: Duration::from_secs(24 * 60 * 60),
        },
    ],
    max_concurrent: 1,
    history_days: 365,
};

/// Returns the OAuth settings, without a client. The client authenticates itself in the body alone, a refresh names its
/// scope, and a token is revoked by a DELETE with itself. PKCE is not documented: the endpoints ignore parameters that they
/// do not know (RFC 6749, 3.1), so a challenge is sent.
pub(super) fn oauth() -> ProviderSettings {
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url(format!("{OAUTH_URL}/auth"))
        .token_url(format!("{OAUTH_URL}/token"))
        .revocation_url(format!("{API_URL}/v2/user/access"))
        .revocation_method(RevocationMethod::BearerDelete)
        .scopes(scopes(COLLECTIONS))
        .extra_scopes(vec![OFFLINE.to_owned(), "read:profile".to_owned()])
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .pkce(true)
        .refresh_parameters([("scope".to_owned(), OFFLINE.to_owned())].into())
        .build()
}
