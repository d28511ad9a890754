//! Tests of the settings.

use wearlab_connect::Provider;
use wearlab_models::{ResourceName, ScopeSeparator, TokenErrorMeaning};

use super::super::Withings;

#[test]
fn resources_have_their_scopes() {
    let settings = Withings.settings();
    assert_eq!(settings.slug, "withings");
    let scopes = |resource| settings.scopes.get(&resource).map(|scopes| scopes.required.join(" "));
    assert_eq!(scopes(ResourceName::Weight).as_deref(), Some("user.metrics"));
    assert_eq!(scopes(ResourceName::Sleep).as_deref(), Some("user.activity"));
    assert_eq!(
        scopes(ResourceName::Heartrate).as_deref(),
        Some("user.activity user.metrics")
    );
    assert_eq!(scopes(ResourceName::StressLevel), None);
}

#[test]
fn the_deviations_from_oauth() {
    let settings = Withings.settings();
    assert_eq!(settings.scope_separator, Some(ScopeSeparator::Comma));
    assert_eq!(settings.pkce, Some(false));
    assert_eq!(settings.token_parameters["action"], "requesttoken");
    assert_eq!(settings.token_response_path.as_deref(), Some("/body"));
    assert_eq!(settings.provider_user_id_path.as_deref(), Some("/body/userid"));
    assert_eq!(settings.revocation_url, None, "a call with a signature and a nonce");
    let meaning = |text: &str| {
        let mut rules = settings.token_errors.iter();
        let rule = rules.find(|rule| {
            [&rule.contains, &rule.equals]
                .iter()
                .any(|part| part.as_deref() == Some(text))
        });
        rule.map(|rule| rule.meaning.clone())
    };
    assert_eq!(meaning("invalid refresh_token"), Some(TokenErrorMeaning::LinkAgain));
    assert_eq!(meaning("invalid code"), Some(TokenErrorMeaning::LinkAgain));
    assert_eq!(meaning("601"), Some(TokenErrorMeaning::Temporary));
}
