//! Providers, and reasons for cancelling an appointment.

use serde_json::json;
use wearlab_models::{CancellationReason, OAuthProvider, ProviderSourceType};
use wearlab_store::{ProviderRecord, StoreError};

use crate::world::{World, all, decoded, value};

fn provider(slug: &str, source_type: ProviderSourceType, link: Option<OAuthProvider>) -> ProviderRecord {
    let base = json!({"name": slug.to_uppercase(), "slug": slug, "description": "", "logo": null});
    ProviderRecord {
        supported: value(base, json!({"supported_resources": ["steps", "new_resource"]})),
        link,
        source_type,
    }
}

fn link(slug: &str) -> OAuthProvider {
    value(
        json!({"name": "Name", "slug": slug, "description": "", "id": 4}),
        json!({}),
    )
}

#[tokio::test]
async fn the_catalogue_is_listed_by_slug() {
    let world = World::new().await;
    let providers = [
        provider("c", ProviderSourceType::Device, Some(link("c"))),
        provider("a", ProviderSourceType::Ble, None),
        provider("b", ProviderSourceType::from("new"), None),
    ];
    world
        .write(|write| providers.iter().try_for_each(|provider| write.put_provider(provider)))
        .await;
    let listed = async |source_type| {
        let found = world.store.providers(source_type).await.expect("reads");
        all(&found)
            .into_iter()
            .map(|provider| provider.slug)
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(None).await, ["a", "b", "c"]);
    assert_eq!(listed(Some("ble")).await, ["a"]);
    assert_eq!(listed(Some("new")).await, ["b"]);
    for none in ["", "lab", "BLE", "b%"] {
        assert!(listed(Some(none)).await.is_empty(), "{none:?}");
    }
    let first = &world.store.providers(None).await.expect("reads")[0];
    assert_eq!(decoded(first), providers[1].supported);
}

#[tokio::test]
async fn only_providers_with_a_link_are_described_for_linking() {
    let world = World::new().await;
    world
        .write(|write| {
            write.put_provider(&provider("with", ProviderSourceType::Device, Some(link("with"))))?;
            write.put_provider(&provider("without", ProviderSourceType::Device, None))
        })
        .await;
    let described = async |slug| {
        world
            .store
            .oauth_provider(slug)
            .await
            .expect("reads")
            .map(|found| decoded(&found))
    };
    assert_eq!(described("with").await, Some(link("with")));
    assert_eq!(described("without").await, None);
    assert_eq!(described("unknown").await, None);

    // A provider that no longer links loses its description. One that changes its source type is found under the new
    // one.
    world
        .write(|write| write.put_provider(&provider("with", ProviderSourceType::Lab, None)))
        .await;
    assert_eq!(described("with").await, None);
    assert_eq!(world.store.providers(Some("lab")).await.expect("reads").len(), 1);

    let put = provider("one", ProviderSourceType::Device, Some(link("two")));
    let result = world.store.write(|write| write.put_provider(&put)).await;
    assert!(matches!(result, Err(StoreError::Conflict { .. })), "{result:?}");
}

#[tokio::test]
async fn reasons_are_listed_by_name_and_then_by_id() {
    let world = World::new().await;
    let reason = |id: &str, name: &str| {
        CancellationReason::builder()
            .id(id)
            .name(name)
            .is_refundable(false)
            .build()
    };
    world
        .write(|write| {
            for (id, name) in [("2", "Same"), ("9", "Another"), ("1", "Same"), ("9", "Zoo")] {
                write.put_cancellation_reason(&reason(id, name))?;
            }
            Ok(())
        })
        .await;
    let listed = all(&world.store.cancellation_reasons().await.expect("reads"));
    assert_eq!(listed, [reason("1", "Same"), reason("2", "Same"), reason("9", "Zoo")]);
}
