//! Tests of requests that are refused.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use wearlab_connect::{Provider, Refusal};

use super::super::Strava;
use super::service::{SCOPES, Service, last_days, pull};
use crate::simulated::faults::Fault;
use crate::testing::{serve, session};

#[tokio::test]
async fn failures_of_the_provider() {
    let service = Service::start(0).await;
    let session = service.session(SCOPES);
    let cases = [
        (Fault::Status(500), Refusal::Later(None)),
        (Fault::Status(503), Refusal::Later(None)),
        (Fault::Truncated, Refusal::Later(None)),
        (Fault::Status(401), Refusal::Unauthorized),
        (Fault::Status(403), Refusal::Forbidden),
        (Fault::Status(404), Refusal::NotFound),
        (
            Fault::Status(402),
            Refusal::Failed("the provider rejects the request with status 402".to_owned()),
        ),
    ];
    for (failure, expected) in cases {
        for collection in Strava.profile().collections {
            service.simulation.faults().push([failure]);
            let refused = pull(&session, collection.name, last_days(5)).await.err();
            assert_eq!(refused.as_ref(), Some(&expected));
            assert!(
                pull(&session, collection.name, last_days(5)).await.is_ok(),
                "one request fails"
            );
        }
        service.simulation.faults().push([failure]);
        assert_eq!(Strava.account(&session).await.err(), Some(expected));
    }
}

/// A failure of the details or the streams refuses the whole pull, apart from a 404.
#[tokio::test]
async fn a_later_request_fails() {
    let service = Service::start(0).await;
    let session = service.session(SCOPES);
    let before = service.requests();
    let readings = pull(&session, "workouts", last_days(5)).await.expect("readings");
    let requests = usize::try_from(service.requests() - before).expect("few requests");
    for failing in 0..requests {
        let faults = std::iter::repeat_n(Fault::None, failing).chain([Fault::Status(500)]);
        service.simulation.faults().push(faults);
        let refused = pull(&session, "workouts", last_days(5)).await;
        assert_eq!(refused, Err(Refusal::Later(None)), "{failing}");
    }
    assert_eq!(pull(&session, "workouts", last_days(5)).await, Ok(readings));
}

#[tokio::test]
async fn tokens_that_are_not_valid() {
    let service = Service::start(0).await;
    let stranger = session(&service.url, "invented");
    for collection in Strava.profile().collections {
        let pulled = pull(&stranger, collection.name, last_days(1)).await;
        assert_eq!(pulled, Err(Refusal::Unauthorized));
    }
    assert_eq!(Strava.account(&stranger).await.err(), Some(Refusal::Unauthorized));
}

/// A scope that is missing is a 401, and does not end the link.
#[tokio::test]
async fn a_scope_that_is_missing() {
    let service = Service::start(0).await;
    let pulled = pull(&service.session(&["read"]), "workouts", last_days(1)).await;
    assert_eq!(pulled, Err(Refusal::Forbidden));
}

#[tokio::test]
async fn a_provider_that_is_slow() {
    let service = Service::start(0).await;
    let mut session = service.session(SCOPES);
    let client = reqwest::Client::builder().timeout(Duration::from_millis(100));
    session.http = client.build().expect("a client");
    service.simulation.faults().push([Fault::Slow(Duration::from_secs(60))]);
    assert_eq!(
        pull(&session, "workouts", last_days(1)).await,
        Err(Refusal::Later(None))
    );
}

/// The message has the place of the error, and not the value.
#[tokio::test]
async fn a_response_that_cannot_be_read() {
    let text = r#"[{"id":1,"start_date":"secretly","elapsed_time":60}]"#;
    let router = Router::new().route("/api/v3/athlete/activities", get(move || async move { text }));
    let url = serve(router).await;
    let Err(Refusal::Failed(message)) = pull(&session(&url, "a"), "workouts", last_days(1)).await else {
        panic!("is refused");
    };
    assert!(
        message.contains("[0].start_date") && !message.contains("secretly"),
        "{message}"
    );
}

/// A list that never has an empty page ends.
#[tokio::test]
async fn a_list_without_an_end() {
    let text = r#"[{"id":1,"start_date":"2026-05-31T10:00:00Z","elapsed_time":60}]"#;
    let router = Router::new().route("/api/v3/athlete/activities", get(move || async move { text }));
    let url = serve(router).await;
    let pulled = pull(&session(&url, "a"), "workouts", last_days(1)).await;
    assert!(matches!(pulled, Err(Refusal::Failed(message)) if message.contains("100 pages")));
}
