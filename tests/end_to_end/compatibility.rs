//! Clients with newer services: unknown values and fields pass through, and unexpected responses are distinguished.
//! Services also keep values that are newer than they are.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use wearlab_client::{Client, Error, RetryPolicy};
use wearlab_models::{
    ConnectedProvider, ConnectionStatus, DateTime, Device, DeviceSourceType, Environment, FallbackTimeZone, Region,
    ResourceAvailability, ResourceAvailabilityStatus, ResourceName, ScopeRequirements, ScopeSet, User, Uuid,
};
use wearlab_tests::Running;

/// Creates a client of a service that responds to every request in the same way.
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
        .retry(RetryPolicy::none())
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
        .list_user_devices(Uuid::nil())
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
        .list_user_providers(Uuid::nil())
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
async fn a_service_keeps_unknown_values_and_the_client_reads_them_unchanged() {
    let running = Running::start(5).await;
    let (team_id, user_id) = (running.sample.team_id, Uuid::from_u128(42));
    let at: DateTime = "2024-08-19T09:30:00.5+05:45".parse().expect("a time");
    let zone = FallbackTimeZone::builder()
        .id("Asia/Kathmandu")
        .source_slug("brand_new");
    let user = User::builder()
        .user_id(user_id)
        .team_id(team_id)
        .client_user_id("newer")
        .created_on(at)
        .connected_sources(Vec::new())
        .fallback_time_zone(zone.updated_at(at).build())
        .build();
    let scopes = || {
        ScopeSet::builder()
            .required(vec!["aura:read".to_owned()])
            .optional(Vec::new())
    };
    let scopes = ScopeRequirements::builder()
        .user_granted(scopes().build())
        .user_denied(scopes().build());
    let availability = ResourceAvailability::builder()
        .status(ResourceAvailabilityStatus::from("fading"))
        .scope_requirements(scopes.build())
        .build();
    let connection = ConnectedProvider::builder()
        .name("Brand New")
        .slug("brand_new")
        .logo("https://assets.example.com/logos/brand_new.png")
        .status(ConnectionStatus::from("resting"))
        .created_on(at)
        .resource_availability([(ResourceName::from("aura"), availability)].into())
        .build();
    let device = Device::builder()
        .id(Uuid::from_u128(43))
        .user_id(user_id)
        .provider("brand_new")
        .source_type(DeviceSourceType::from("smart_mirror"))
        .build();
    let kept = (user.clone(), connection.clone(), device.clone());
    running
        .store
        .write(move |write| {
            let (user, connection, device) = &kept;
            let team = write.team(team_id)?.expect("the sample's team");
            write.put_user(team, user)?;
            write.put_connection(team, user_id, connection)?;
            write.put_device(team, device)
        })
        .await
        .expect("a user of a newer kind");

    let client = running.client();
    let connections = client.list_user_providers(user_id).send().await;
    assert_eq!(connections.expect("connections").providers, [connection]);
    let devices = client.list_user_devices(user_id).send().await;
    assert_eq!(*devices.expect("devices"), [device]);
    let mut got = client.get_user(user_id).send().await.expect("the user").into_inner();
    let sources = std::mem::take(&mut got.connected_sources);
    assert_eq!(got, user);
    let slugs: Vec<_> = sources.iter().map(|source| source.source.slug.as_str()).collect();
    assert_eq!(slugs, ["brand_new"]);

    let sent = running.json(&format!("/v2/user/{user_id}/device")).await;
    assert_eq!(sent[0]["source_type"], "smart_mirror");
    let sent = running.json(&format!("/v2/user/providers/{user_id}")).await;
    assert_eq!(sent["providers"][0]["status"], "resting");
    let status = &sent["providers"][0]["resource_availability"]["aura"]["status"];
    assert_eq!(status, "fading");
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
async fn errors_of_something_between_are_distinguished() {
    for (status, body) in [(502, "<html>Bad Gateway</html>"), (418, "{}"), (302, ""), (429, "[]")] {
        let client = client_of(status, body.to_owned()).await;
        let error = client.list_users().send().await.expect_err("no success");
        let failure = error.failure().expect("a response");
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
    let call = client.list_team_pipelines("o", Environment::Sandbox, Region::Eu);
    let walked: Result<Vec<_>, _> = call.stream().try_collect().await;
    assert!(matches!(walked, Err(Error::Paging)));
}
