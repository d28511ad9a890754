//! Tests of requests that are refused.

use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{any, get};
use wearlab_connect::{Provider, Refusal};

use super::super::Polar;
use super::service::{SCOPES, Service, last_days, pull};
use crate::simulated::faults::Fault;
use crate::testing::{serve, session};

#[tokio::test]
async fn failures_of_the_provider() {
    let service = Service::start(0).await;
    let cases = [
        (Fault::Status(429), Refusal::Limited(Duration::from_secs(900))),
        (Fault::Status(500), Refusal::Later(None)),
        (Fault::Truncated, Refusal::Later(None)),
        (Fault::Status(401), Refusal::Unauthorized),
        (Fault::Status(403), Refusal::Forbidden),
        (
            Fault::Status(400),
            Refusal::Failed("the provider rejects the request with status 400".to_owned()),
        ),
    ];
    for (failure, expected) in cases {
        for collection in Polar.profile().collections {
            service.simulation.faults().push([failure]);
            let refused = service.pull(collection.name, 5).await.err();
            assert_eq!(refused.as_ref(), Some(&expected), "{}", collection.name);
            assert!(service.pull(collection.name, 5).await.is_ok(), "one request fails");
        }
        service.simulation.faults().push([failure]);
        assert_eq!(Polar.account(&service.session(SCOPES)).await.err(), Some(expected));
    }
}

/// A failure of any request of a pull refuses the whole pull.
#[tokio::test]
async fn a_later_request_fails() {
    let service = Service::start(0).await;
    for name in ["sleep", "activity", "heartrate", "measurements"] {
        let before = service.requests();
        let readings = service.pull(name, 3).await.expect("readings");
        let requests = usize::try_from(service.requests() - before).expect("few requests");
        assert!(requests > 1, "{name}");
        for failing in 0..requests {
            let faults = std::iter::repeat_n(Fault::None, failing).chain([Fault::Status(500)]);
            service.simulation.faults().push(faults);
            assert_eq!(
                service.pull(name, 3).await,
                Err(Refusal::Later(None)),
                "{name} {failing}"
            );
        }
        assert_eq!(service.pull(name, 3).await, Ok(readings));
    }
}

/// The headers of a 429 tell when the window begins anew.
#[tokio::test]
async fn too_many_requests() {
    let headers = [
        ("ratelimit-limit", "520, 5100"),
        ("ratelimit-usage", "521, 900"),
        ("ratelimit-reset", "340, 40000"),
    ];
    let refused = any(move || async move { (StatusCode::TOO_MANY_REQUESTS, headers) });
    let url = serve(Router::new().fallback(refused)).await;
    let session = session(&url, "a");
    let expected = Refusal::Limited(Duration::from_secs(340));
    for collection in Polar.profile().collections {
        assert_eq!(
            pull(&session, collection.name, last_days(1)).await,
            Err(expected.clone())
        );
    }
    assert_eq!(Polar.account(&session).await.err(), Some(expected));
}

#[tokio::test]
async fn tokens_that_are_not_valid() {
    let service = Service::start(0).await;
    let stranger = session(&service.url, "invented");
    for collection in Polar.profile().collections {
        let pulled = pull(&stranger, collection.name, last_days(1)).await;
        assert_eq!(pulled, Err(Refusal::Unauthorized));
    }
    assert_eq!(Polar.account(&stranger).await.err(), Some(Refusal::Unauthorized));
}

/// Messages have the place of the error, and not the value.
#[tokio::test]
async fn responses_that_cannot_be_read() {
    let failure = async |path: &'static str, name: &'static str, text: &'static str| {
        let empty = get(|| async { StatusCode::NOT_FOUND });
        let router = Router::new()
            .route(path, get(move || async move { text }))
            .fallback(empty);
        let url = serve(router).await;
        match pull(&session(&url, "a"), name, last_days(1)).await {
            Err(Refusal::Failed(message)) => message,
            other => panic!("is refused: {other:?}"),
        }
    };
    let night = r#"{"nights":[{"date":"secretly"}]}"#;
    let message = failure("/v3/users/sleep", "sleep", night).await;
    assert!(
        message.contains("nights[0].date") && !message.contains("secretly"),
        "{message}"
    );
    for (path, name, text) in [
        (
            "/v3/exercises",
            "workouts",
            r#"[{"id":"E1","start_time":"secretly","duration":"PT1M"}]"#,
        ),
        ("/v3/users/activities", "activity", r#"[{"start_time":"secretly"}]"#),
        (
            "/v3/users/biosensing/bodytemperature",
            "measurements",
            r#"[{"start_time":"secretly"}]"#,
        ),
    ] {
        let message = failure(path, name, text).await;
        assert!(
            message.contains("a time or a duration is not one") && !message.contains("secretly"),
            "{message}"
        );
    }
}
