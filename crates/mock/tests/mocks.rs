//! Mocks as tests of an integrator use them, called by the client.

use std::time::Duration;

use futures_util::TryStreamExt;
use wearlab_client::{Client, Error};
use wearlab_mock::models::{
    CancellationReason, DateTime, Environment, FallbackTimeZone, MarkerList, OAuthProviderSlug, PipelineList, Region,
    User, UserList, Uuid,
};
use wearlab_mock::wiremock::ResponseTemplate;
use wearlab_mock::{
    MockServer, get_oauth_provider, get_user, list_cancellation_reasons, list_lab_test_markers, list_team_pipelines,
    list_users,
};

async fn start() -> (MockServer, Client) {
    let server = MockServer::start().await;
    let client = Client::builder()
        .base_url(server.uri())
        .api_key("key")
        .management_key("management");
    let client = client.build().expect("a client");
    (server, client)
}

fn user(number: u128) -> User {
    let noon: DateTime = "2026-01-02T12:00:00+01:00".parse().expect("a time");
    let zone = FallbackTimeZone::builder()
        .id("Europe/Oslo")
        .source_slug("manual")
        .updated_at(noon);
    User::builder()
        .user_id(Uuid::from_u128(number))
        .team_id(Uuid::from_u128(1))
        .client_user_id(format!("client-{number}"))
        .created_on(noon)
        .connected_sources(Vec::new())
        .fallback_time_zone(zone.build())
        .build()
}

#[tokio::test]
async fn a_call_is_answered_by_what_its_path_names() {
    let (server, client) = start().await;
    for number in [7, 8] {
        get_user()
            .user_id(Uuid::from_u128(number))
            .then_ok(&user(number))
            .mount(&server)
            .await;
    }
    for number in [8, 7] {
        let found = client.get_user(Uuid::from_u128(number)).send().await;
        assert_eq!(found.expect("a user").into_inner(), user(number));
    }
    let other = client.get_user(Uuid::from_u128(9)).send().await.expect_err("no mock");
    let problem = other
        .failure()
        .and_then(|failure| failure.problem())
        .expect("a problem document");
    assert_eq!((problem.status, problem.title.as_str()), (404, "No Mock Fits"));
    for number in [7, 8] {
        let mounted = format!(
            "GET /v2/user/{{user_id}} where user_id = {} (another user_id)",
            Uuid::from_u128(number)
        );
        assert!(other.to_string().contains(&mounted), "{other}");
    }
    // A value that is escaped in the address, and an enum.
    let page = MarkerList::builder()
        .markers(Vec::new())
        .total(0)
        .page(1)
        .size(50)
        .build();
    list_lab_test_markers()
        .lab_test_id("a/b é")
        .then_ok(&page)
        .mount(&server)
        .await;
    client.list_lab_test_markers("a/b é").send().await.expect("markers");
    assert!(client.list_lab_test_markers("a").send().await.is_err());
    get_oauth_provider()
        .oauth_provider(OAuthProviderSlug::Fennrow)
        .then_problem(404, "Not yet.")
        .mount(&server)
        .await;
    let error = client
        .get_oauth_provider("fennrow")
        .send()
        .await
        .expect_err("a problem");
    assert!(error.to_string().contains("Not yet."), "{error}");
}

#[tokio::test]
async fn a_call_is_answered_by_what_its_query_and_its_headers_say() {
    let (server, client) = start().await;
    let page = |number, offset| {
        UserList::builder()
            .users(vec![user(number)])
            .total(2)
            .offset(offset)
            .limit(1)
            .build()
    };
    list_users().offset(1).then_ok(&page(8, 1)).mount(&server).await;
    list_users()
        .limit(1)
        .team_api_key("key")
        .then_ok(&page(7, 0))
        .mount(&server)
        .await;
    let users: Vec<_> = client
        .list_users()
        .limit(1)
        .stream()
        .try_collect()
        .await
        .expect("two pages");
    assert_eq!(users, [user(7), user(8)]);
    assert!(client.list_users().limit(2).send().await.is_err(), "another limit");
    let stranger = Client::builder()
        .base_url(server.uri())
        .api_key("other")
        .build()
        .expect("a client");
    assert!(stranger.list_users().limit(1).send().await.is_err(), "another key");

    let none = PipelineList::builder().pipelines(Vec::new()).build();
    list_team_pipelines()
        .org_id("o")
        .management_key("management")
        .then_ok(&none)
        .mount(&server)
        .await;
    let call = client.list_team_pipelines("o", Environment::Sandbox, Region::Eu);
    assert!(call.send().await.expect("pipelines").pipelines.is_empty());
}

#[tokio::test]
async fn a_parameter_that_is_left_out_has_its_default() {
    let (server, client) = start().await;
    let page = UserList::builder()
        .users(Vec::new())
        .total(0)
        .offset(0)
        .limit(100)
        .build();
    list_users().offset(0).limit(100).then_ok(&page).mount(&server).await;
    client.list_users().send().await.expect("the defaults");
    client.list_users().limit(100).send().await.expect("one of them");
    let error = client.list_users().limit(7).send().await.expect_err("another limit");
    assert!(error.to_string().contains("(another limit)"), "{error}");
    server.reset().await;
    list_users().offset(1).then_ok(&page).mount(&server).await;
    let error = client
        .list_users()
        .send()
        .await
        .expect_err("the default is another offset");
    assert!(
        error.to_string().contains("where offset = 1 (another offset)"),
        "{error}"
    );
}

#[tokio::test]
async fn a_call_without_a_mock_lists_what_is_mounted_and_no_credential() {
    let (server, client) = start().await;
    let error = client.list_users().send().await.expect_err("nothing");
    assert!(
        error
            .to_string()
            .contains("no mock fits GET /v2/user/; nothing is mounted"),
        "{error}"
    );
    list_users()
        .team_api_key("another-key")
        .then_problem(500, "")
        .mount(&server)
        .await;
    let none: Vec<CancellationReason> = Vec::new();
    let once = list_cancellation_reasons()
        .then_ok(&none)
        .mock()
        .up_to_n_times(1)
        .expect(1);
    once.mount(&server).await;
    client.list_cancellation_reasons().send().await.expect("once");
    let error = client.list_users().send().await.expect_err("another key");
    let text = error.to_string();
    assert!(
        text.contains("GET /v2/user/ where x-service-api-key (another x-service-api-key)"),
        "{text}"
    );
    assert!(!text.contains("another-key"), "{text}");
    let error = client.list_cancellation_reasons().send().await.expect_err("twice");
    assert!(error.to_string().contains("as often as it was to"), "{error}");
}

#[tokio::test]
async fn a_problem_is_what_a_service_would_say() {
    let (server, client) = start().await;
    list_cancellation_reasons()
        .then_problem(429, "Slower.")
        .mock()
        .up_to_n_times(9)
        .mount(&server)
        .await;
    let Err(Error::RateLimited(failure)) = client.list_cancellation_reasons().send().await else {
        panic!("a problem");
    };
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(1)));
    let problem = failure.problem().expect("a problem document");
    assert_eq!((problem.status, problem.title.as_str()), (429, "Too Many Requests"));
    assert_eq!(problem.detail.as_deref(), Some("Slower."));
}

#[tokio::test]
async fn an_answer_may_be_anything_and_may_take_its_time() {
    let (server, client) = start().await;
    let reasons: Vec<CancellationReason> = Vec::new();
    let slow = list_cancellation_reasons()
        .then_ok(&reasons)
        .header("x-request-id", "r1");
    slow.delay(Duration::from_millis(200))
        .mock()
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let began = std::time::Instant::now();
    let response = client.list_cancellation_reasons().send().await.expect("a response");
    assert!(began.elapsed() >= Duration::from_millis(200));
    assert_eq!(response.request_id(), Some("r1"));
    let odd = ResponseTemplate::new(200).set_body_string("<html>");
    list_cancellation_reasons().then_respond(odd).mount(&server).await;
    let error = client.list_cancellation_reasons().send().await.expect_err("no JSON");
    assert!(matches!(error, Error::Decoding { .. }), "{error}");
}
