//! Tests of the settings.

use wearlab_connect::Provider;
use wearlab_models::{ResourceName, ScopeSeparator, TokenAuthMethod};

use super::super::Strava;

#[test]
fn activities_of_the_person_alone_are_optional() {
    let settings = Strava.settings();
    let scopes = |resource| {
        settings
            .scopes
            .get(&resource)
            .map(|scopes| (scopes.required.join(" "), scopes.optional.join(" ")))
    };
    let texts = |required: &str, optional: &str| Some((required.to_owned(), optional.to_owned()));
    assert_eq!(
        scopes(ResourceName::Workouts),
        texts("activity:read", "activity:read_all")
    );
    assert_eq!(scopes(ResourceName::WorkoutPower), texts("activity:read", ""));
    assert_eq!(scopes(ResourceName::Profile), texts("read", ""));
    assert_eq!(scopes(ResourceName::Sleep), None);
}

#[test]
fn deviations_from_oauth() {
    let settings = Strava.settings();
    assert_eq!(settings.scope_separator, Some(ScopeSeparator::Comma));
    assert_eq!(settings.authorization_parameters["approval_prompt"], "auto");
    assert_eq!(settings.token_auth_method, TokenAuthMethod::ClientSecretPost);
    assert_eq!(
        settings.revocation_auth_method,
        Some(TokenAuthMethod::ClientSecretBasic)
    );
    assert_eq!(settings.provider_user_id_path.as_deref(), Some("/athlete/id"));
}
