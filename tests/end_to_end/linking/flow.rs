//! Complete linking of a provider.

use reqwest::{Method, Url};
use serde_json::json;

use super::browser::Browser;
use super::provider::Consent;
use super::world::{APP, World};

#[tokio::test]
async fn a_user_links_a_provider() {
    let world = World::new().await;
    let page = world.page(json!({"redirect_url": APP})).await;
    let browser = Browser::new();
    let shown = browser.get(&page).await;
    assert_eq!(shown.status, 200);
    let chosen = browser.choose(&page, &world.slug).await;
    let consent = Url::parse(chosen.to()).expect("a URL");
    assert!(consent.as_str().starts_with(&world.provider.url), "{consent}");
    let back = browser.consent(consent.as_str()).await;
    assert!(back.starts_with(&format!("{}?", world.redirect_uri())), "{back}");
    assert_eq!(world.connection().await, None, "nothing before the user is back");

    let done = browser.get(&back).await;
    assert_eq!(done.to(), format!("{APP}&state=success&provider={}", world.slug));
    let connection = world.connection().await.expect("a connection");
    assert_eq!(connection["status"], "connected");
    let activity = &connection["resource_availability"]["activity"];
    assert_eq!(activity["status"], "available");
    assert_eq!(
        activity["scope_requirements"]["user_granted"]["required"],
        json!(["activity:read"])
    );
    assert_eq!(world.events().await, ["provider.connection.created"]);
    let payload = world.payloads().await.remove(0);
    assert_eq!(payload["data"]["provider"]["slug"], world.slug.as_str());
    assert_eq!(payload["data"]["resource_availability"]["sleep"]["status"], "available");

    let asked = world.provider.last_authorization();
    assert_eq!(asked["scope"], "activity:read sleep:read heart:read offline_access");
    assert_eq!(asked["audience"], "wearlab", "the URL's own query stays");
    assert_eq!(asked["redirect_uri"], world.redirect_uri());

    let (status, token) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 200, "{token}");
    assert_eq!(
        token["access_token"].as_str(),
        world.provider.last_access_token().as_deref()
    );
    assert_eq!(token["token_type"], "Bearer");
    assert_eq!(
        token["scopes"],
        json!(["activity:read", "sleep:read", "heart:read", "offline_access"])
    );
    let path = format!("/v1/org/{}/connections?status=connected", world.running.sample.org_id);
    let (_, list) = world.send(Method::GET, &path, None).await;
    let listed = list["connections"]
        .as_array()
        .expect("a list")
        .last()
        .expect("one")
        .clone();
    assert_eq!(listed["user_id"], world.user.to_string());
    assert_eq!(listed["provider"], world.slug.as_str());
}

#[tokio::test]
async fn scopes_that_the_user_denies_make_resources_unavailable() {
    let world = World::new().await;
    world
        .provider
        .behave(|behaviour| behaviour.consent = Consent::Only(&["activity:read", "heart:read"]));
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert!(done.title().ends_with("is linked"), "{}", done.title());
    let connection = world.connection().await.expect("a connection");
    let sleep = &connection["resource_availability"]["sleep"];
    assert_eq!(sleep["status"], "unavailable");
    assert_eq!(
        sleep["scope_requirements"],
        json!({
            "user_granted": {"required": [], "optional": ["heart:read"]},
            "user_denied": {"required": ["sleep:read"], "optional": []},
        })
    );
    assert_eq!(connection["resource_availability"]["activity"]["status"], "available");
}

#[tokio::test]
async fn two_tabs_of_a_browser_link_side_by_side() {
    let world = World::new().await;
    let page = world.page(json!({"redirect_url": APP})).await;
    let browser = Browser::new();
    let (first, second) = (
        browser.up_to_callback(&page, &world.slug).await,
        browser.up_to_callback(&page, &world.slug).await,
    );
    assert_ne!(first, second);
    for back in [second, first] {
        let done = browser.get(&back).await;
        assert!(done.to().contains("state=success"), "{}", done.to());
    }
    assert_eq!(world.events().await, ["provider.connection.created"; 2]);
    let linked = world.linked().await;
    assert_eq!(
        Some(linked.tokens.access_token.expose()),
        world.provider.last_access_token().as_deref()
    );
}

#[tokio::test]
async fn a_client_that_is_no_page_gets_an_oauth_url_that_is_good_once() {
    let world = World::new().await;
    let token = world.token(json!({"redirect_url": APP})).await;
    let token = token["link_token"].as_str().expect("a token");
    let describe = async || {
        let path = format!("{}/v2/link/provider/oauth/{}", world.running.url, world.slug);
        let request = wearlab_tests::http()
            .get(path)
            .header("x-service-api-key", &world.running.sample.team_api_key)
            .header("x-service-link-token", token);
        let response = request.send().await.expect("a response");
        let body: serde_json::Value = response.json().await.expect("JSON");
        body["oauth_url"].as_str().expect("a URL").to_owned()
    };
    let (url, other) = (describe().await, describe().await);
    assert_ne!(url, other);
    for part in ["&state=", "&code_challenge=", "&code_challenge_method=S256"] {
        assert!(url.contains(part), "{url}");
    }
    let browser = Browser::new();
    let back = browser.consent(&url).await;
    assert!(browser.get(&back).await.to().contains("state=success"));
    let again = browser.get(&back).await;
    assert_eq!(again.status, 400, "its state is used");
    assert_eq!(world.events().await, ["provider.connection.created"]);
}

#[tokio::test]
async fn a_connection_that_ends_takes_its_tokens_with_it() {
    let world = World::new().await;
    let browser = Browser::new();
    browser.link(&world.page(json!({})).await, &world.slug).await;
    let linked = world.linked().await;
    let refresh_token = linked.tokens.refresh_token.expect("a token");
    let path = format!("/v2/user/{}/{}", world.user, world.slug);
    assert_eq!(world.send(Method::DELETE, &path, None).await.0, 200);
    let (status, _) = world.send(Method::GET, &world.access_token_path(), None).await;
    assert_eq!(status, 404);
    for _ in 0..100 {
        if world.provider.is_revoked(refresh_token.expose()) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the provider still takes the token for good");
}
