//! Facts of the provider, and its OAuth settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, TokenAuthMethod};

use super::collections::COLLECTIONS;

/// URL of the API.
pub(super) const API_URL: &str = "https://health.googleapis.com";
/// Requests of a project in a minute.
const REQUESTS: NonZeroU32 = NonZeroU32::new(120_000).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 106,
    slug: "google_health",
    name: "Google Health",
    description: "Bands and watches of Fitbit and Google.",
    source_type: "watch",
    collections: COLLECTIONS,
    quotas: &[Quota {
        requests: REQUESTS,
        period: Duration::from_secs(60),
    }],
    max_concurrent: 8,
    history_days: 90,
};

/// Returns the OAuth settings, without a client. Without `access_type` and `prompt`, a second consent gives no refresh token. A
/// refresh gives no new one, and the earlier one stays valid.
pub(super) fn oauth() -> ProviderSettings {
    let parameters = [("access_type", "offline"), ("prompt", "consent")];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value.to_owned()));
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url("https://accounts.google.com/o/oauth2/v2/auth")
        .token_url("https://oauth2.googleapis.com/token")
        .revocation_url("https://oauth2.googleapis.com/revoke")
        .scopes(scopes(COLLECTIONS))
        .extra_scopes(Vec::new())
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .pkce(true)
        .authorization_parameters(BTreeMap::from(parameters))
        .build()
}
