//! Tests of the settings.

use wearlab_connect::Provider;
use wearlab_models::ResourceName;

use super::super::GoogleHealth;

#[test]
fn resources_have_their_scopes() {
    let settings = GoogleHealth.settings();
    assert_eq!(settings.slug, "google_health");
    let scopes = |resource| settings.scopes.get(&resource).map(|scopes| scopes.required.clone());
    let scope = |name: &str| format!("https://www.googleapis.com/auth/googlehealth.{name}.readonly");
    assert_eq!(
        scopes(ResourceName::Workouts),
        Some(vec![scope("activity_and_fitness")])
    );
    assert_eq!(scopes(ResourceName::Water), Some(vec![scope("nutrition")]));
    assert_eq!(scopes(ResourceName::StressLevel), None);
    assert_eq!(settings.authorization_parameters["access_type"], "offline");
    assert_eq!(settings.authorization_parameters["prompt"], "consent");
}
