//! Mix-up attacks: one provider tries to get codes, secrets and tokens of another.

use reqwest::{Method, Url};
use serde_json::{Value, json};

use super::browser::Browser;
use super::provider::Provider;
use super::refresh::{later, refresher};
use super::world::{APP, World};

/// Returns another provider of the catalogue that links by OAuth.
async fn other_slug(world: &World) -> String {
    let (_, providers) = world.send(Method::GET, "/v2/providers/", None).await;
    let mut others = providers.as_array().expect("a list").iter();
    let other = others.find(|one| one["auth_type"] == "oauth" && one["slug"] != world.slug.as_str());
    other.expect("another")["slug"].as_str().expect("a slug").to_owned()
}

async fn put(world: &World, slug: &str, settings: Value) -> (u16, Value) {
    let path = format!("/v1/org/{}/providers/{slug}", world.running.sample.org_id);
    world.send(Method::PUT, &path, Some(settings)).await
}

async fn link(world: &World) {
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
}

#[tokio::test]
async fn a_code_at_the_redirect_uri_of_another_provider_links_nothing() {
    let world = World::new().await;
    let hostile = Provider::start().await;
    let slug = other_slug(&world).await;
    let mut settings = world.provider.settings();
    settings["token_url"] = json!(format!("{}/token", hostile.url));
    assert_eq!(put(&world, &slug, settings).await.0, 200);
    // The user chooses the hostile provider, which redirects the browser to the honest one with its own state.
    let page = world.page(json!({"redirect_url": APP})).await;
    let browser = Browser::new();
    assert_eq!(browser.get(&page).await.status, 200);
    let consent = browser.choose(&page, &slug).await.to().to_owned();
    let mut consent = Url::parse(&consent).expect("a URL");
    let pairs: Vec<_> = consent.query_pairs().into_owned().collect();
    let own = pairs
        .iter()
        .find(|(name, _)| name == "redirect_uri")
        .expect("one")
        .1
        .clone();
    assert!(own.ends_with(&format!("/{slug}")), "{own}");
    let honest = world.redirect_uri();
    let with = pairs.into_iter().map(|(name, value)| match name.as_str() {
        "redirect_uri" => (name, honest.clone()),
        _ => (name, value),
    });
    consent.query_pairs_mut().clear().extend_pairs(with);
    let back = browser.consent(consent.as_str()).await;
    assert!(back.starts_with(&honest), "{back}");
    let done = browser.get(&back).await;
    assert!(done.to().ends_with("&error=wrong_redirect_uri"), "{}", done.to());
    assert_eq!(hostile.token_requests("authorization_code"), 0);
    assert_eq!(world.provider.token_requests("authorization_code"), 0);
    assert!(world.events().await.is_empty());
    // Also not on the path that settings of earlier versions share.
    let back = browser.up_to_callback(&page, &world.slug).await;
    let shared = back.replace(&honest, &format!("{}/link/callback", world.running.url));
    let done = browser.get(&shared).await;
    assert!(done.to().ends_with("&error=wrong_redirect_uri"), "{}", done.to());
    assert_eq!(world.provider.token_requests("authorization_code"), 0);
}

#[tokio::test]
async fn settings_of_earlier_versions_keep_the_shared_redirect_uri_until_they_change() {
    let world = World::new().await;
    let sample = &world.running.sample;
    let shared = format!("{}/link/callback", world.running.url);
    // Settings of an earlier version.
    let organisation = world.running.store.write(|write| {
        let organisation = write.put_organisation(&sample.org_id)?;
        let mut stored = write.provider_settings(&organisation, &world.slug)?.expect("settings");
        stored.settings.redirect_uri_mode = None;
        stored.earlier_origins = None;
        write.put_provider_settings(&organisation, &stored)
    });
    organisation.await.expect("writes");
    let (_, shown) = world.send(Method::GET, &world.provider_path(), None).await;
    assert_eq!(
        (&shown["redirect_uri_mode"], &shown["redirect_uri"]),
        (&json!("shared"), &json!(shared))
    );
    let browser = Browser::new();
    let in_flight = browser
        .up_to_callback(&world.page(json!({"redirect_url": APP})).await, &world.slug)
        .await;
    assert!(in_flight.starts_with(&format!("{shared}?")), "{in_flight}");
    // The settings of a read can be written again, and nothing changes.
    let (status, same) = world
        .send(Method::PUT, &world.provider_path(), Some(shown.clone()))
        .await;
    assert_eq!((status, &same), (200, &shown));
    let mut moved = shown.clone();
    moved["authorization_url"] = json!("http://127.0.0.2/authorize");
    let (status, problem) = world.send(Method::PUT, &world.provider_path(), Some(moved)).await;
    assert_eq!(
        (status, &problem["errors"][0]["location"]),
        (422, &json!("/body/redirect_uri_mode"))
    );

    let mut own = shown.clone();
    own["redirect_uri_mode"] = json!("own");
    let (status, problem) = world.send(Method::PUT, &world.provider_path(), Some(own.clone())).await;
    assert_eq!(
        (status, &problem["errors"][0]["location"]),
        (422, &json!("/body/redirect_uri"))
    );
    own.as_object_mut().expect("an object").remove("redirect_uri");
    let (status, own) = world.send(Method::PUT, &world.provider_path(), Some(own)).await;
    assert_eq!((status, &own["redirect_uri"]), (200, &json!(world.redirect_uri())));
    let done = browser.get(&in_flight).await;
    assert!(
        done.to().contains("state=success"),
        "a user comes back as they went: {}",
        done.to()
    );
    let (status, problem) = world.send(Method::PUT, &world.provider_path(), Some(shown)).await;
    assert_eq!(
        (status, &problem["errors"][0]["location"]),
        (422, &json!("/body/redirect_uri_mode"))
    );
}

#[tokio::test]
async fn a_provider_that_moves_gets_neither_secret_nor_tokens() {
    let world = World::new().await;
    link(&world).await;
    let browser = Browser::new();
    let in_flight = browser
        .up_to_callback(&world.page(json!({"redirect_url": APP})).await, &world.slug)
        .await;
    let hostile = Provider::start().await;
    let mut settings = world.provider.settings();
    settings["token_url"] = json!(format!("{}/token", hostile.url));
    let mut without = settings.clone();
    without.as_object_mut().expect("an object").remove("client_secret");
    let mut revocation = world.provider.settings();
    revocation["revocation_url"] = json!(format!("{}/revoke", hostile.url));
    revocation.as_object_mut().expect("an object").remove("client_secret");
    for moved in [without, revocation] {
        let (status, problem) = world.send(Method::PUT, &world.provider_path(), Some(moved)).await;
        assert_eq!(
            (status, &problem["errors"][0]["location"]),
            (422, &json!("/body/client_secret")),
            "{problem}"
        );
    }
    world.set_up(&settings).await;
    let done = browser.get(&in_flight).await;
    assert!(done.to().ends_with("&error=provider_not_available"), "{}", done.to());
    assert_eq!(world.send(Method::GET, &world.access_token_path(), None).await.0, 409);
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["error_details"]["error_type"], "provider_changed");
    assert_eq!(
        world.events().await,
        ["provider.connection.created", "provider.connection.error"]
    );
    for grant_type in ["authorization_code", "refresh_token"] {
        assert_eq!(hostile.token_requests(grant_type), 0, "{grant_type}");
    }
    // After a return to its original host, the user links again.
    world.set_up(&world.provider.settings()).await;
    link(&world).await;
    assert_eq!(world.send(Method::GET, &world.access_token_path(), None).await.0, 200);
}

#[tokio::test]
async fn settings_that_are_deleted_and_put_anew_get_no_tokens_of_before() {
    let world = World::new().await;
    link(&world).await;
    let hostile = Provider::start().await;
    assert_eq!(world.send(Method::DELETE, &world.provider_path(), None).await.0, 204);
    let mut settings = world.provider.settings();
    settings["token_url"] = json!(format!("{}/token", hostile.url));
    settings["revocation_url"] = json!(format!("{}/revoke", hostile.url));
    world.set_up(&settings).await;
    let token = world.linked().await.tokens.refresh_token.expect("one");
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    assert_eq!(hostile.token_requests("refresh_token"), 0);
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["error_details"]["error_type"], "provider_changed");
    assert!(world.provider.knows(token.expose()) && !hostile.is_revoked(token.expose()));
}

/// An administrator of the settings knows the client secret, or the client has none.
#[tokio::test]
async fn a_revocation_url_that_moves_gets_no_tokens_of_before_though_they_were_refreshed() {
    for rotates in [true, false] {
        let world = World::new().await;
        world.provider.behave(|behaviour| behaviour.rotates = rotates);
        link(&world).await;
        let hostile = Provider::start().await;
        let mut settings = world.provider.settings();
        settings["revocation_url"] = json!(format!("{}/revoke", hostile.url));
        world.set_up(&settings).await;
        let before = world.linked().await.tokens;
        refresher(&world.running.store, later(60)).look().await.expect("looks");
        let tokens = world.linked().await.tokens;
        assert_ne!(tokens.access_token, before.access_token, "it was refreshed");
        assert_eq!(tokens.origins, before.origins);
        let path = format!("/v2/user/{}/{}", world.user, world.slug);
        assert_eq!(world.send(Method::DELETE, &path, None).await.0, 200);
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let token = tokens.refresh_token.expect("a token");
        assert!(!hostile.is_revoked(token.expose()), "rotates: {rotates}");
        // A later consent is for the new host.
        link(&world).await;
        let token = world.linked().await.tokens.refresh_token.expect("a token");
        assert_eq!(world.send(Method::DELETE, &path, None).await.0, 200);
        let mut revoked = false;
        for _ in 0..100 {
            revoked |= hostile.is_revoked(token.expose());
            if revoked {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert!(revoked, "rotates: {rotates}");
    }
}
