//! Facts of the provider, and its OAuth settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, ResourceName, ScopeSeparator, TokenAuthMethod};

use super::collections::COLLECTIONS;

/// URL of the API, of the consent page and of the tokens.
pub(super) const API_URL: &str = "https://www.strava.com";
/// Maximum size of a response: all streams of a day without a pause have less than half of it.
pub(super) const MAX_RESPONSE_BYTES: u64 = 16 * 1024 * 1024;
/// Requests that read, of an application in a quarter of an hour.
const READS: NonZeroU32 = NonZeroU32::new(100).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 105,
    slug: "strava",
    name: "Strava",
    description: "Workouts of watches, bike computers and phones, with heart rate, distance and power.",
    source_type: "app",
    collections: COLLECTIONS,
    // The limit of a day, 1,000 reads, is not one of these: as a pace, it is a request in 86 seconds, and no pull would
    // end in time. The headers of each list tell what is left of it.
    quotas: &[Quota {
        requests: READS,
        period: Duration::from_secs(15 * 60),
    }],
    max_concurrent: 1,
    history_days: 365,
};

/// Returns the OAuth settings, without a client. The redirect names the scopes that the user left ticked. The revocation
/// endpoint authenticates the client by Basic, the token endpoint in the body.
pub(super) fn oauth() -> ProviderSettings {
    let mut scopes = scopes(COLLECTIONS);
    // Without it, activities that only the user sees are not read.
    if let Some(workouts) = scopes.get_mut(&ResourceName::Workouts) {
        workouts.optional.push("activity:read_all".to_owned());
    }
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url(format!("{API_URL}/oauth/authorize"))
        .token_url(format!("{API_URL}/oauth/token"))
        .revocation_url(format!("{API_URL}/oauth/revoke"))
        .revocation_auth_method(TokenAuthMethod::ClientSecretBasic)
        .scopes(scopes)
        .extra_scopes(Vec::new())
        .scope_separator(ScopeSeparator::Comma)
        .authorization_parameters(BTreeMap::from([("approval_prompt".to_owned(), "auto".to_owned())]))
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .provider_user_id_path("/athlete/id")
        .build()
}
