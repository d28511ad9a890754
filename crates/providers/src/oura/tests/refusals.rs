//! Tests of requests that are refused.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use wearlab_connect::{Provider, Refusal, Span};

use super::super::Oura;
use super::service::{SCOPES, Service, last_day, pull};
use crate::simulated::faults::Fault;
use crate::testing::{failures, last_days, serve};

fn last_week() -> Span {
    last_days(last_day(), 7)
}

async fn refusal(service: &Service, scopes: &[&str], name: &str) -> Option<Refusal> {
    pull(&service.session(scopes), name, last_week()).await.err()
}

#[tokio::test]
async fn failures_of_the_provider() {
    let service = Service::start(0).await;
    for (failure, expected) in failures() {
        for collection in Oura.profile().collections {
            service.simulation.faults().push([failure]);
            assert_eq!(
                refusal(&service, SCOPES, collection.name).await.as_ref(),
                Some(&expected)
            );
            assert_eq!(
                refusal(&service, SCOPES, collection.name).await,
                None,
                "one request fails"
            );
        }
        service.simulation.faults().push([failure]);
        let account = Oura.account(&service.session(SCOPES)).await;
        assert_eq!(account.err(), Some(expected));
    }
}

/// A list whose later pages cannot be read returns nothing.
#[tokio::test]
async fn a_later_page_fails() {
    let service = Service::start(0).await;
    let session = service.session(SCOPES);
    let before = service.simulation.faults().requests();
    pull(&session, "heartrate", last_week()).await.expect("readings");
    assert!(
        service.simulation.faults().requests() - before > 1,
        "there are several pages"
    );
    let failing = tokio::spawn({
        let simulation = service.simulation.clone();
        let before = service.simulation.faults().requests();
        async move {
            while simulation.faults().requests() == before {
                tokio::task::yield_now().await;
            }
            simulation
                .faults()
                .push([Fault::Status(500), Fault::Status(500), Fault::Status(500)]);
        }
    });
    assert_eq!(
        pull(&session, "heartrate", last_week()).await,
        Err(Refusal::Later(None))
    );
    failing.await.expect("no panic");
}

#[tokio::test]
async fn tokens_that_are_not_valid() {
    let service = Service::start(0).await;
    let stranger = service.session_of("invented");
    for collection in Oura.profile().collections {
        assert_eq!(
            pull(&stranger, collection.name, last_week()).await,
            Err(Refusal::Unauthorized)
        );
    }
    assert_eq!(Oura.account(&stranger).await.err(), Some(Refusal::Unauthorized));

    let token = service.grants().issue(SCOPES);
    let session = service.session_of(&token);
    assert!(pull(&session, "activity", last_week()).await.is_ok());
    assert!(service.grants().revoke(&token));
    assert_eq!(
        pull(&session, "activity", last_week()).await,
        Err(Refusal::Unauthorized)
    );
}

/// A scope that is missing does not end the link, also where the provider responds as if the token had ended.
#[tokio::test]
async fn scopes_that_are_missing() {
    let service = Service::start(0).await;
    for name in ["activity", "sleep", "heartrate", "blood_oxygen", "vo2_max", "workouts"] {
        assert_eq!(
            refusal(&service, &["personal"], name).await,
            Some(Refusal::Forbidden),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_provider_that_is_slow() {
    let service = Service::start(0).await;
    let mut session = service.session(SCOPES);
    service
        .simulation
        .faults()
        .push([Fault::Slow(Duration::from_millis(50))]);
    assert!(pull(&session, "activity", last_week()).await.is_ok());
    let client = reqwest::Client::builder().timeout(Duration::from_millis(100));
    session.http = client.build().expect("a client");
    service.simulation.faults().push([Fault::Slow(Duration::from_secs(60))]);
    assert_eq!(pull(&session, "activity", last_week()).await, Err(Refusal::Later(None)));
}

#[tokio::test]
async fn a_provider_that_does_not_listen() {
    let service = Service::start(0).await;
    let mut session = service.session(SCOPES);
    // The port of a listener that is closed.
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .expect("a listener");
    session.base_url = Some(format!("http://{}", listener.local_addr().expect("an address")));
    drop(listener);
    assert_eq!(pull(&session, "activity", last_week()).await, Err(Refusal::Later(None)));
}

/// The message has the place of the error, and not the value.
#[tokio::test]
async fn a_response_that_cannot_be_read() {
    let service = Service::start(0).await;
    let mut session = service.session(SCOPES);
    let text = r#"{"data":[{"id":"a-1","day":"secretly"}],"next_token":null}"#;
    let router = Router::new().route("/v2/usercollection/daily_activity", get(move || async move { text }));
    session.base_url = Some(serve(router).await);
    let Err(Refusal::Failed(message)) = pull(&session, "activity", last_week()).await else {
        panic!("is refused");
    };
    assert!(
        message.contains("data[0].day") && !message.contains("secretly"),
        "{message}"
    );
}
