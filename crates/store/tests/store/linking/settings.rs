//! Settings of providers, and redirect URLs of teams.

use wearlab_models::Secret;

use super::linking;
use crate::world::World;

#[tokio::test]
async fn settings_are_of_their_organisation() {
    let world = linking().await;
    let of = async |organisation| {
        let found = world.store.provider_settings(organisation, "stridewell").await;
        found.expect("reads").map(|stored| stored.client_secret)
    };
    assert_eq!(
        of(&world.ours).await,
        Some(Some(Secret::new("client-secret-of-stridewell")))
    );
    assert_eq!(of(&world.theirs).await, None);
    let linkable = async |team| world.store.linkable_providers(team).await.expect("reads").len();
    assert_eq!(
        [
            linkable(world.team).await,
            linkable(world.sister).await,
            linkable(world.stranger).await
        ],
        [1, 1, 0]
    );
    let delete = async |organisation| {
        world
            .write(|write| write.delete_provider_settings(organisation, "stridewell"))
            .await
    };
    assert!(!delete(&world.theirs).await);
    assert!(delete(&world.ours).await);
    assert!(!delete(&world.ours).await);
}

#[tokio::test]
async fn redirect_urls_are_a_list_of_their_team() {
    let world = World::new().await;
    let urls = ["https://b.example/", "https://a.example/"].map(str::to_owned);
    world.write(|write| write.put_redirect_urls(world.team, &urls)).await;
    assert_eq!(world.store.redirect_urls(world.team).await.expect("reads"), urls);
    assert!(world.store.redirect_urls(world.sister).await.expect("reads").is_empty());
    world
        .write(|write| write.put_redirect_urls(world.team, &urls[1..]))
        .await;
    assert_eq!(world.store.redirect_urls(world.team).await.expect("reads"), urls[1..]);
}
