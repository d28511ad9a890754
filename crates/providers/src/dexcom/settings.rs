//! Facts of the provider, and its OAuth settings.

use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, TokenAuthMethod};

use super::collections::COLLECTIONS;

/// URL of the API and of the OAuth endpoints, of accounts in the US. Those of other regions are settings of the connector.
pub(super) const API_URL: &str = "https://api.dexcom.com";
/// Requests of an application in an hour.
const REQUESTS: NonZeroU32 = NonZeroU32::new(60_000).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 107,
    slug: "dexcom",
    name: "Dexcom",
    description: "Continuous glucose monitors.",
    source_type: "automatic",
    collections: COLLECTIONS,
    quotas: &[Quota {
        requests: REQUESTS,
        period: Duration::from_secs(60 * 60),
    }],
    max_concurrent: 8,
    history_days: 365,
};

/// Returns the OAuth settings, without a client. There is no revocation. PKCE is not documented: the endpoints ignore
/// parameters that they do not know (RFC 6749, 3.1), so a challenge is sent.
pub(super) fn oauth() -> ProviderSettings {
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url(format!("{API_URL}/v2/oauth2/login"))
        .token_url(format!("{API_URL}/v2/oauth2/token"))
        .scopes(scopes(COLLECTIONS))
        .extra_scopes(Vec::new())
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .pkce(true)
        .build()
}
