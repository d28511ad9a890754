//! Facts of the provider, and its OAuth settings.

use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, RevocationMethod, TokenAuthMethod, TokenErrorMeaning, TokenErrorRule};

use super::collections::COLLECTIONS;

/// URL of the API, which has the tokens, too.
pub(super) const API_URL: &str = "https://api.ouraring.com";
/// Maximum size of a response: a page of a month of heart rate has less than a tenth of it.
pub(super) const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;
/// Requests of an application in five minutes.
const REQUESTS: NonZeroU32 = NonZeroU32::new(5_000).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 101,
    slug: "oura",
    name: "Oura",
    description: "Rings that measure sleep, activity, heart rate, blood oxygen and temperature.",
    source_type: "ring",
    collections: COLLECTIONS,
    quotas: &[Quota {
        requests: REQUESTS,
        period: Duration::from_secs(300),
    }],
    max_concurrent: 8,
    history_days: 365,
};

/// Returns the OAuth settings, without a client. Tokens are revoked by a POST with the access token in the query. The
/// redirect names the scopes that the user granted.
pub(super) fn oauth() -> ProviderSettings {
    // A refresh token that has ended is `invalid_grant` in the documentation, and `invalid_request` in practice.
    let ended = TokenErrorRule::builder()
        .http_status(400)
        .path("/error")
        .equals("invalid_request")
        .meaning(TokenErrorMeaning::LinkAgain)
        .build();
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url("https://cloud.ouraring.com/oauth/authorize")
        .token_url(format!("{API_URL}/oauth/token"))
        .revocation_url(format!("{API_URL}/oauth/revoke"))
        .revocation_method(RevocationMethod::Query)
        .scopes(scopes(COLLECTIONS))
        .extra_scopes(Vec::new())
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .pkce(true)
        .token_errors(vec![ended])
        .build()
}
