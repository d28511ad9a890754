//! A client meets services that are newer than it: unknown values and fields pass through, and odd answers are told
//! apart.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use wearlab_client::{Client, Error};
use wearlab_models::{ConnectionStatus, DeviceSourceType, ResourceName, Uuid};

/// A client of a service that answers every request alike.
async fn client_of(status: u16, body: String) -> Client {
    let status = StatusCode::from_u16(status).expect("a status");
    let routes = Router::new().fallback(get(move || async move { (status, body) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Client::builder()
        .base_url(url)
        .api_key("k")
        .management_key("m")
        .build()
        .expect("a client")
}

#[tokio::test]
async fn unknown_values_and_fields_pass_through() {
    let device = json!([{
        "id": Uuid::nil(), "user_id": Uuid::nil(), "provider": "brand_new", "source_type": "smart_mirror",
        "app_id": null, "colour": "red"
    }]);
    let client = client_of(200, device.to_string()).await;
    let devices = client
        .list_user_devices()
        .user_id(Uuid::nil())
        .send()
        .await
        .expect("a newer service");
    assert_eq!(devices[0].source_type, DeviceSourceType::from("smart_mirror"));
    assert_eq!(devices[0].source_type.as_str(), "smart_mirror");
    assert_eq!(devices[0].app_id, None);

    let providers = json!({ "next": "more", "providers": [{
        "name": "N", "slug": "n", "logo": "", "status": "resting", "created_on": "2024-08-19T09:30:00.5+05:45",
        "error_details": { "error_type": "odd", "hint": { "deep": [1, 2] } },
        "resource_availability": { "aura": { "status": "fading", "scope_requirements": {
            "user_granted": { "required": [], "optional": [] }, "user_denied": { "required": [], "optional": [] } } } }
    }] });
    let client = client_of(200, providers.to_string()).await;
    let list = client
        .list_user_providers()
        .user_id(Uuid::nil())
        .send()
        .await
        .expect("a newer service");
    let provider = &list.providers[0];
    assert!(matches!(&provider.status, ConnectionStatus::Other(unknown) if unknown.as_str() == "resting"));
    assert!(provider.resource_availability.contains_key(&ResourceName::from("aura")));
    assert_eq!(
        provider.created_on.to_rfc3339(),
        "2024-08-19T09:30:00.500+05:45",
        "the offset is kept"
    );
    let details = provider.error_details.as_ref().expect("details");
    assert_eq!(
        details.extra["hint"]["deep"][1],
        Value::from(2),
        "an open object keeps what it is given"
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_located_and_not_shown() {
    let users = json!({ "users": [{ "user_id": "Jane Doe's secret" }], "total": 1, "offset": 0, "limit": 100 });
    let client = client_of(200, users.to_string()).await;
    let error = client.list_users().send().await.expect_err("not a user");
    assert!(
        matches!(&error, Error::Decoding { path, .. } if path == "users[0].user_id"),
        "{error:?}"
    );
    assert!(!format!("{error:?} {error}").contains("Jane"));
}

#[tokio::test]
async fn errors_of_something_between_are_told_apart() {
    for (status, body) in [(502, "<html>Bad Gateway</html>"), (418, "{}"), (302, ""), (429, "[]")] {
        let client = client_of(status, body.to_owned()).await;
        let error = client.list_users().send().await.expect_err("no success");
        let failure = error.failure().expect("an answer");
        assert_eq!(failure.status().as_u16(), status);
        assert!(failure.problem().is_none());
        match status {
            502 => assert!(matches!(error, Error::Server(_))),
            429 => assert!(matches!(error, Error::RateLimited(_))),
            _ => assert!(matches!(error, Error::Unexpected(_))),
        }
    }
}

#[tokio::test]
async fn a_service_that_repeats_a_cursor_does_not_hold_the_client() {
    let client = client_of(200, json!({ "pipelines": [], "next_cursor": "again" }).to_string()).await;
    let call = client.list_team_pipelines().org_id("o").env("sandbox").region("eu");
    let walked: Result<Vec<_>, _> = call.stream().try_collect().await;
    assert!(matches!(walked, Err(Error::Paging)));
}
