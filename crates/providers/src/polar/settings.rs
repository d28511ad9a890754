//! Facts of the provider, and its OAuth settings.

use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, RevocationMethod, TokenAuthMethod};

use super::collections::COLLECTIONS;

/// URL of the API. The consent page and the tokens are at two other hosts.
pub(super) const API_URL: &str = "https://www.polaraccesslink.com";
/// Maximum size of a response: a month of exercises with samples each second has less than half of it.
pub(super) const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;
/// Requests of an application without users in a quarter of an hour.
const REQUESTS: NonZeroU32 = NonZeroU32::new(500).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 104,
    slug: "polar",
    name: "Polar",
    description: "Watches, bands and chest straps that measure activity, sleep, heart rate and workouts.",
    source_type: "watch",
    collections: COLLECTIONS,
    // Both limits grow with the number of users, by 20 in a quarter of an hour and 100 a day. That of a day, 5,000 without
    // users, is not one of these: it would be too low for many. A 429 tells when it begins anew.
    quotas: &[Quota {
        requests: REQUESTS,
        period: Duration::from_secs(15 * 60),
    }],
    max_concurrent: 8,
    // Activity of the last 365 days can be requested, also when the pull of the history takes a month.
    history_days: 335,
};

/// Returns the OAuth settings, without a client. There is no refresh token: after about a year, the user links again. The
/// deletion of the person's registration ends the grant.
pub(super) fn oauth() -> ProviderSettings {
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url("https://flow.polar.com/oauth2/authorization")
        .token_url("https://polarremote.com/v2/oauth2/token")
        .revocation_url(format!("{API_URL}/v3/users/{{user_id}}"))
        .revocation_method(RevocationMethod::BearerDelete)
        .scopes(scopes(COLLECTIONS))
        .extra_scopes(Vec::new())
        .token_auth_method(TokenAuthMethod::ClientSecretBasic)
        .provider_user_id_path("/x_user_id")
        .build()
}
