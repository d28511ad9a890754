//! Every field and every value that the document knows is somewhere in a population.

use serde_json::Value;
use wearlab_models::{
    Compression, ConnectionStatus, DeliveryKind, DeviceSourceType, OAuthProviderSlug, ProviderAuthType,
    ProviderSourceType, ResourceAvailabilityStatus, ResourceName,
};

use super::{documents, filled};

const USERS: u32 = 300;

#[tokio::test]
async fn every_optional_field_is_there_and_missing() {
    let found = documents(&filled(1, USERS).await).await;
    both(
        &found["user"],
        &[
            "/fallback_birth_date",
            "/ingestion_start",
            "/ingestion_end",
            "/connected_sources/0",
        ],
    );
    both(&found["connection"], &["/error_details"]);
    both(
        &found["connection"],
        &[
            "/error_details/error_type",
            "/error_details/error_message",
            "/error_details/errored_at",
        ],
    );
    both(
        &found["device"],
        &[
            "/app_id",
            "/device_manufacturer",
            "/device_model",
            "/device_version",
            "/device_id",
        ],
    );
    both(&found["provider"], &["/logo", "/auth_type", "/supported_resources"]);
    both(&found["link"], &["/logo", "/group", "/oauth_url", "/backfill_num_days"]);
    for active in [true, false] {
        assert!(found["link"].iter().any(|link| link["is_active"] == active));
    }
    both(&found["marker"], &["/unit", "/expected_results/0/loinc/unit"]);
    both(
        &found["pipeline"],
        &[
            "/cloud_pubsub",
            "/rabbitmq",
            "/svix",
            "/azure_amqp",
            "/event_type_prefixes/0",
        ],
    );
    let matchers: Vec<Value> = found["pipeline"]
        .iter()
        .filter_map(|pipeline| pipeline.pointer("/azure_amqp/event_hub_matchers")?.as_array())
        .flatten()
        .cloned()
        .collect();
    both(
        &matchers,
        &["/event_type_prefix", "/event_type_regex", "/event_hub", "/blob_storage"],
    );
}

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
    assert_eq!(resources.len(), 68);
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
    let compressions = Compression::KNOWN.iter().map(|value| value.as_str()).collect();
    all_used("pipeline", "/azure_amqp/compression", compressions);
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

/// Whether a text is among those at a JSON pointer, of some document or of a list in it.
pub(super) fn has(documents: &[Value], pointer: &str, wanted: &str) -> bool {
    documents
        .iter()
        .filter_map(|document| document.pointer(pointer))
        .any(|found| match found {
            Value::Array(items) => items.iter().any(|item| item == wanted),
            Value::Object(fields) => fields.contains_key(wanted),
            other => other == wanted,
        })
}

/// Panics unless a field has a value somewhere and none (null or absent) somewhere else.
fn both(documents: &[Value], pointers: &[&str]) {
    for pointer in pointers {
        let (parent, _) = pointer.rsplit_once('/').expect("a pointer");
        let held = documents.iter().filter(|document| {
            document
                .pointer(parent)
                .is_some_and(|held| held.is_object() || held.is_array())
        });
        let (with, without): (Vec<&Value>, Vec<&Value>) =
            held.partition(|document| document.pointer(pointer).is_some_and(|value| !value.is_null()));
        assert!(!with.is_empty(), "{pointer} has never a value");
        assert!(!without.is_empty(), "{pointer} has always a value");
    }
}
