//! Facts of the provider, and its OAuth settings.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use wearlab_connect::{Profile, Quota, scopes};
use wearlab_models::{ProviderSettings, ScopeSeparator, TokenAuthMethod, TokenErrorMeaning, TokenErrorRule};

use super::collections::COLLECTIONS;

/// URL of the API, which has the tokens, too.
pub(super) const API_URL: &str = "https://wbsapi.withings.net";
/// Requests of an application in a minute.
const REQUESTS: NonZeroU32 = NonZeroU32::new(120).expect("not zero");

pub(super) static PROFILE: Profile = Profile {
    id: 103,
    slug: "withings",
    name: "Withings",
    description: "Scales, blood pressure monitors, watches and sleep mats.",
    source_type: "watch",
    collections: COLLECTIONS,
    quotas: &[Quota {
        requests: REQUESTS,
        period: Duration::from_secs(60),
    }],
    max_concurrent: 8,
    history_days: 365,
};

/// Returns the OAuth settings, without a client. Tokens are in `body` of a response whose HTTP status is always 200, and so are
/// errors. Tokens are not revoked: that is a call with a signature and a nonce.
pub(super) fn oauth() -> ProviderSettings {
    let error = |text: &str| {
        let rule = TokenErrorRule::builder().path("/error").contains(text);
        rule.meaning(TokenErrorMeaning::LinkAgain).build()
    };
    let status = |status: &str| {
        let rule = TokenErrorRule::builder().path("/status").equals(status);
        rule.meaning(TokenErrorMeaning::Temporary).build()
    };
    ProviderSettings::builder()
        .slug(PROFILE.slug)
        .client_id("")
        .authorization_url("https://account.withings.com/oauth2_user/authorize2")
        .token_url(format!("{API_URL}/v2/oauth2"))
        .scopes(scopes(COLLECTIONS))
        .extra_scopes(Vec::new())
        .scope_separator(ScopeSeparator::Comma)
        .token_auth_method(TokenAuthMethod::ClientSecretPost)
        .pkce(false)
        .token_parameters(BTreeMap::from([("action".to_owned(), "requesttoken".to_owned())]))
        .token_response_path("/body")
        .provider_user_id_path("/body/userid")
        // Both have the status 503. 522 is a timeout, and 601 too many requests.
        .token_errors(vec![
            error("invalid refresh_token"),
            error("invalid code"),
            status("522"),
            status("601"),
        ])
        .build()
}
