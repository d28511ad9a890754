//! Tests of the settings.

use wearlab_connect::Provider;
use wearlab_models::ResourceName;

use super::super::Oura;

#[test]
fn resources_have_their_scopes() {
    let settings = Oura.settings();
    assert_eq!(settings.slug, "oura");
    let scopes = |resource| settings.scopes.get(&resource).map(|scopes| scopes.required.join(" "));
    assert_eq!(scopes(ResourceName::SleepCycle).as_deref(), Some("daily"));
    assert_eq!(scopes(ResourceName::Vo2Max).as_deref(), Some("heart_health"));
    assert_eq!(scopes(ResourceName::BloodOxygen).as_deref(), Some("spo2"));
    assert_eq!(scopes(ResourceName::Steps), None);
}
