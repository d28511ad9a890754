//! Tests that a population has every known value of the document.

use chrono::DateTime;
use serde_json::Value;
use wearlab_models::{
    Compression, ConnectionStatus, DeliveryKind, DeviceSourceType, OAuthProviderSlug, ProviderAuthType,
    ProviderSourceType, ResourceAvailabilityStatus, ResourceName,
};

use super::{documents, filled, has, pipelines, text};

const USERS: u32 = 300;

#[tokio::test]
async fn every_known_value_is_used() {
    let filled = filled(1, USERS).await;
    let found = documents(&filled).await;
    let all_used = |kind: &str, pointer: &str, values: Vec<&str>| {
        for value in values {
            assert!(has(&found[kind], pointer, value), "no {kind} has {value} at {pointer}");
        }
    };
    all_used(
        "connection",
        "/status",
        ConnectionStatus::KNOWN.iter().map(|value| value.as_str()).collect(),
    );
    all_used(
        "device",
        "/source_type",
        DeviceSourceType::KNOWN.iter().map(|value| value.as_str()).collect(),
    );
    let auth_types = ProviderAuthType::KNOWN.iter().map(|value| value.as_str()).collect();
    all_used("provider", "/auth_type", auth_types);
    let resources: Vec<&str> = ResourceName::KNOWN.iter().map(|value| value.as_str()).collect();
    all_used("provider", "/supported_resources", resources.clone());
    all_used("connection", "/resource_availability", resources);
    all_used(
        "link",
        "/slug",
        OAuthProviderSlug::KNOWN.iter().map(|value| value.as_str()).collect(),
    );
    assert_eq!(found["link"].len(), OAuthProviderSlug::KNOWN.len());
    all_used(
        "pipeline",
        "/preferences/enabled",
        DeliveryKind::KNOWN.iter().map(|value| value.as_str()).collect(),
    );
    for source_type in ProviderSourceType::KNOWN {
        let listed = filled.store.providers(Some(source_type.as_str())).await.expect("reads");
        assert!(!listed.is_empty(), "no provider is of the kind {source_type}");
    }
    let availabilities: Vec<Value> = found["connection"]
        .iter()
        .filter_map(|connection| connection["resource_availability"].as_object())
        .flat_map(|resources| resources.values().cloned())
        .collect();
    for status in ResourceAvailabilityStatus::KNOWN {
        assert!(has(&availabilities, "/status", status.as_str()));
    }
    for list in [
        "user_granted/required",
        "user_granted/optional",
        "user_denied/required",
        "user_denied/optional",
    ] {
        let pointer = format!("/scope_requirements/{list}/0");
        let with = availabilities
            .iter()
            .filter(|found| found.pointer(&pointer).is_some())
            .count();
        assert!(0 < with && with < availabilities.len(), "{pointer}");
    }
}

#[tokio::test]
async fn every_compression_is_that_of_some_seed() {
    let mut used = Vec::new();
    for seed in 0..8 {
        let pipelines = pipelines(&filled(seed, 1).await).await;
        let hubs: Vec<_> = pipelines
            .into_iter()
            .filter_map(|pipeline| pipeline.azure_amqp)
            .collect();
        assert_eq!(hubs.len(), 2, "one of three pipelines is without");
        used.extend(hubs.into_iter().map(|hub| hub.compression));
    }
    for compression in Compression::KNOWN {
        assert!(used.contains(compression), "{compression}");
    }
}

#[tokio::test]
async fn times_do_not_come_from_outside() {
    let latest = DateTime::parse_from_rfc3339("2027-01-01T00:00:00Z").expect("a time");
    for user in &documents(&filled(1, 100).await).await["user"] {
        let created = DateTime::parse_from_rfc3339(text(&user["created_on"])).expect("a time");
        assert!(created < latest);
    }
}
