//! Real providers: each links, refreshes, refuses and names its user in its own way.

use reqwest::Method;
use serde_json::{Value, json};

use super::browser::Browser;
use super::provider::Consent;
use super::refresh::{later, refresher};
use super::shape::Shape;
use super::world::{APP, World};

const ALL: [Shape; 5] = [
    Shape::OAuth,
    Shape::Withings,
    Shape::Strava,
    Shape::Fitbit,
    Shape::Wahoo,
];

async fn world_of(shape: Shape) -> World {
    let world = World::new().await;
    world.provider.behave(|behaviour| behaviour.shape = shape);
    world.set_up(&world.provider.settings()).await;
    world
}

async fn link(world: &World) {
    let done = Browser::new().link(&world.page(json!({})).await, &world.slug).await;
    assert_eq!(done.status, 200, "{}", done.text);
}

async fn token(world: &World) -> (u16, Value) {
    world.send(Method::GET, &world.access_token_path(), None).await
}

#[tokio::test]
async fn each_provider_links_and_refreshes_in_its_shape() {
    for (shape, account) in ALL
        .into_iter()
        .zip([None, Some("9001"), Some("31337"), Some("AB12CD"), None])
    {
        let world = world_of(shape).await;
        let granted = ["activity:read", "heart:read"];
        world
            .provider
            .behave(|behaviour| behaviour.consent = Consent::Only(&["activity:read", "heart:read"]));
        link(&world).await;
        let (status, first) = token(&world).await;
        assert_eq!(status, 200, "{shape:?}: {first}");
        assert_eq!(first["token_type"], "Bearer", "{shape:?}");
        assert_eq!(first["scopes"], json!(granted), "{shape:?}");
        assert!(first["expires_at"].is_string(), "{shape:?}");
        assert_eq!(first["provider_user_id"].as_str(), account, "{shape:?}");
        let connection = world.connection().await.expect("a connection");
        let available = &connection["resource_availability"];
        assert_eq!(available["activity"]["status"], "available", "{shape:?}");
        assert_eq!(available["sleep"]["status"], "unavailable", "{shape:?}");

        refresher(&world.running.store, later(60)).look().await.expect("looks");
        assert_eq!(world.provider.token_requests("refresh_token"), 1, "{shape:?}");
        let (_, second) = token(&world).await;
        assert_ne!(second["access_token"], first["access_token"], "{shape:?}");
        assert_eq!(second["scopes"], first["scopes"], "{shape:?}");
        assert_eq!(second["provider_user_id"].as_str(), account, "{shape:?}");
    }
}

#[tokio::test]
async fn a_grant_that_is_gone_is_told_at_once() {
    for shape in ALL {
        let world = world_of(shape).await;
        link(&world).await;
        world.provider.forget();
        refresher(&world.running.store, later(60)).look().await.expect("looks");
        let connection = world.connection().await.expect("a connection");
        let kind = &connection["error_details"]["error_type"];
        assert_eq!(kind, "token_refresh_refused", "{shape:?}");
        assert_eq!(token(&world).await.0, 409, "{shape:?}");
        link(&world).await;
        assert_eq!(token(&world).await.0, 200, "{shape:?}");
    }
}

#[tokio::test]
async fn a_code_that_is_refused_links_nothing_and_is_told() {
    for shape in ALL {
        let world = world_of(shape).await;
        world
            .provider
            .behave(|behaviour| behaviour.refusal = Some("invalid_grant"));
        let page = world.page(json!({"redirect_url": APP})).await;
        let done = Browser::new().link(&page, &world.slug).await;
        assert!(
            done.to().ends_with("&error=exchange_refused"),
            "{shape:?}: {}",
            done.to()
        );
        assert_eq!(world.connection().await, None, "{shape:?}");
    }
}

#[tokio::test]
async fn a_client_that_is_refused_ends_no_connection() {
    for shape in ALL {
        let world = world_of(shape).await;
        link(&world).await;
        world
            .provider
            .behave(|behaviour| behaviour.refusal = Some("invalid_client"));
        refresher(&world.running.store, later(60)).look().await.expect("looks");
        let connection = world.connection().await.expect("a connection");
        assert_eq!(connection["status"], "connected", "{shape:?}");
        assert_eq!(world.linked().await.failures, 1, "{shape:?}");
    }
}

#[tokio::test]
async fn an_access_token_that_cannot_be_sent_does_not_link() {
    for bad in [json!(""), json!("a b"), json!("a\r\nX: y"), json!(7), json!(null)] {
        let world = World::new().await;
        world
            .provider
            .behave(|behaviour| behaviour.members = vec![("access_token", bad.clone())]);
        let page = world.page(json!({"redirect_url": APP})).await;
        let done = Browser::new().link(&page, &world.slug).await;
        assert!(
            done.to().ends_with("&error=provider_unavailable"),
            "{bad}: {}",
            done.to()
        );
        assert_eq!(world.connection().await, None, "{bad}");

        world.provider.behave(|behaviour| behaviour.members.clear());
        link(&world).await;
        let before = world.linked().await.tokens;
        world
            .provider
            .behave(|behaviour| behaviour.members = vec![("access_token", bad.clone())]);
        refresher(&world.running.store, later(60)).look().await.expect("looks");
        assert_eq!(
            world.linked().await.tokens,
            before,
            "{bad}: a refresh keeps no such token"
        );
    }
}

#[tokio::test]
async fn connections_are_found_by_the_id_of_the_provider() {
    let world = world_of(Shape::Strava).await;
    link(&world).await;
    let org = &world.running.sample.org_id;
    let find = async |query: &str| {
        let path = format!("/v1/org/{org}/connections?{query}");
        let (status, page) = world.send(Method::GET, &path, None).await;
        assert_eq!(status, 200, "{page}");
        assert_eq!(page["next_cursor"], json!(null), "{page}");
        page["connections"].as_array().expect("a list").clone()
    };
    let slug = &world.slug;
    let found = find(&format!("provider={slug}&provider_user_id=31337")).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["user_id"], world.user.to_string());
    assert_eq!(found[0]["provider_user_id"], "31337");
    assert_eq!(find("provider_user_id=31337").await.len(), 1);
    assert!(
        find(&format!("provider={slug}&provider_user_id=31338"))
            .await
            .is_empty()
    );
    assert!(find("provider=another&provider_user_id=31337").await.is_empty());
    assert!(find("provider_user_id=31337&status=error").await.is_empty());

    // It stays if the grant is revoked, and is deleted with the user.
    world.provider.forget();
    refresher(&world.running.store, later(60)).look().await.expect("looks");
    assert_eq!(find("provider_user_id=31337&status=error").await.len(), 1);
    let path = format!("/v2/user/{}", world.user);
    assert_eq!(world.send(Method::DELETE, &path, None).await.0, 200);
    assert!(find("provider_user_id=31337").await.is_empty());
}

#[tokio::test]
async fn settings_of_shapes_are_checked() {
    let world = World::new().await;
    let path = world.provider_path();
    for (field, value, location) in [
        ("scope_separator", json!("pipe"), "/body/scope_separator"),
        (
            "token_parameters",
            json!({"grant_type": "x"}),
            "/body/token_parameters/grant_type",
        ),
        (
            "refresh_parameters",
            json!({"refresh_token": "x"}),
            "/body/refresh_parameters/refresh_token",
        ),
        (
            "authorization_parameters",
            json!({"state": "x"}),
            "/body/authorization_parameters/state",
        ),
        (
            "authorization_parameters",
            json!({"scope": "x"}),
            "/body/authorization_parameters/scope",
        ),
        ("token_response_path", json!("body"), "/body/token_response_path"),
        (
            "provider_user_id_path",
            json!("athlete.id"),
            "/body/provider_user_id_path",
        ),
        ("revocation_auth_method", json!("mtls"), "/body/revocation_auth_method"),
        (
            "token_errors",
            json!([{"meaning": "link_again"}]),
            "/body/token_errors/0/path",
        ),
        (
            "token_errors",
            json!([{"http_status": 200, "meaning": "client"}]),
            "/body/token_errors/0/path",
        ),
        (
            "token_errors",
            json!([{"path": "/error", "meaning": "client"}]),
            "/body/token_errors/0",
        ),
        (
            "token_errors",
            json!([{"http_status": 400, "meaning": "shrug"}]),
            "/body/token_errors/0/meaning",
        ),
    ] {
        let mut settings = world.provider.settings();
        settings[field] = value;
        let (status, problem) = world.send(Method::PUT, &path, Some(settings)).await;
        assert_eq!(status, 422, "{field}: {problem}");
        assert_eq!(problem["errors"][0]["location"], location, "{problem}");
    }
    // A comma is a valid character in a scope (RFC 6749), unless it separates scopes.
    let mut settings = world.provider.settings();
    settings["extra_scopes"] = json!(["activity:read,profile:read_all"]);
    assert_eq!(world.send(Method::PUT, &path, Some(settings.clone())).await.0, 200);
    settings["scope_separator"] = json!("comma");
    let (status, problem) = world.send(Method::PUT, &path, Some(settings)).await;
    assert_eq!(
        (status, &problem["errors"][0]["location"]),
        (422, &json!("/body/extra_scopes"))
    );
}
