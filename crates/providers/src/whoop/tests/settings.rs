//! Tests of the settings.

use wearlab_connect::Provider;
use wearlab_models::{ResourceName, RevocationMethod, TokenAuthMethod};

use super::super::Whoop;

#[test]
fn resources_have_their_scopes() {
    let settings = Whoop.settings();
    assert_eq!(settings.slug, "whoop");
    let scopes = |resource| settings.scopes.get(&resource).map(|scopes| scopes.required.join(" "));
    let of_cycles = Some("read:cycles read:sleep read:recovery");
    assert_eq!(scopes(ResourceName::Activity).as_deref(), of_cycles);
    assert_eq!(scopes(ResourceName::Hrv).as_deref(), of_cycles);
    assert_eq!(scopes(ResourceName::Workouts).as_deref(), Some("read:workout"));
    assert_eq!(scopes(ResourceName::Steps), None);
}

#[test]
fn deviations_from_oauth() {
    let settings = Whoop.settings();
    assert_eq!(settings.token_auth_method, TokenAuthMethod::ClientSecretPost);
    assert!(settings.extra_scopes.contains(&"offline".to_owned()));
    assert_eq!(settings.refresh_parameters["scope"], "offline");
    assert_eq!(settings.revocation_method, Some(RevocationMethod::BearerDelete));
    let url = "https://api.prod.whoop.com/developer/v2/user/access";
    assert_eq!(settings.revocation_url.as_deref(), Some(url));
}
