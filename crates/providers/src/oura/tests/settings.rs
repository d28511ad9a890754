//! Tests of the settings.

use std::collections::HashSet;

use wearlab_connect::Provider;
use wearlab_models::ResourceName;

use super::super::Oura;

#[test]
fn a_resource_belongs_to_one_collection() {
    let collections = Oura.profile().collections;
    let resources: Vec<_> = collections.iter().flat_map(|collection| collection.resources).collect();
    assert_eq!(resources.iter().collect::<HashSet<_>>().len(), resources.len());
    let names: HashSet<_> = collections.iter().map(|collection| collection.name).collect();
    assert_eq!(names.len(), collections.len());
    assert!(
        collections
            .iter()
            .all(|collection| collection.look_back_days <= collection.window_days)
    );
}

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
