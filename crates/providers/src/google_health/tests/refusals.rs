//! Tests of requests that are refused.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use wearlab_connect::{Provider, Refusal, Span};

use super::super::GoogleHealth;
use super::service::{Service, last_day, pull, scopes};
use crate::simulated::faults::Fault;
use crate::testing::{last_days, serve};

fn last_week() -> Span {
    last_days(last_day(), 7)
}

async fn refusal(service: &Service, scopes: &[&str], name: &str) -> Option<Refusal> {
    let span = match name {
        "profile" => Span {
            first: last_day(),
            last: last_day(),
        },
        _ => last_week(),
    };
    pull(&service.session(scopes), name, span).await.err()
}

#[tokio::test]
async fn failures_of_the_provider() {
    let service = Service::start(0).await;
    let cases = [
        (
            Fault::TooManyRequests(Duration::from_secs(17)),
            Refusal::Limited(Duration::from_secs(17)),
        ),
        (Fault::Status(429), Refusal::Limited(Duration::from_secs(60))),
        (Fault::Status(500), Refusal::Later(None)),
        (Fault::Truncated, Refusal::Later(None)),
        (Fault::Status(401), Refusal::Unauthorized),
        (Fault::Status(403), Refusal::Forbidden),
    ];
    for (failure, expected) in cases {
        for collection in GoogleHealth.profile().collections {
            service.simulation.faults().push([failure]);
            assert_eq!(
                refusal(&service, &scopes(), collection.name).await.as_ref(),
                Some(&expected)
            );
        }
        service.simulation.faults().push([failure]);
        let account = GoogleHealth.account(&service.session(&scopes())).await;
        assert_eq!(account.err(), Some(expected));
    }
    for collection in GoogleHealth.profile().collections {
        assert_eq!(refusal(&service, &scopes(), collection.name).await, None);
    }
}

#[tokio::test]
async fn a_later_request_fails() {
    let service = Service::start(0).await;
    for (name, before) in [("activity", 5), ("sleep", 2), ("measurements", 4)] {
        let faults = service.simulation.faults();
        faults.push(std::iter::repeat_n(Fault::None, before).chain([Fault::Status(500)]));
        assert_eq!(refusal(&service, &scopes(), name).await, Some(Refusal::Later(None)));
    }
}

#[tokio::test]
async fn tokens_and_scopes() {
    let service = Service::start(0).await;
    let stranger = service.session_of("invented");
    assert_eq!(GoogleHealth.account(&stranger).await.err(), Some(Refusal::Unauthorized));
    for collection in GoogleHealth.profile().collections {
        assert_eq!(
            pull(&stranger, collection.name, last_week()).await,
            Err(Refusal::Unauthorized)
        );
        assert_eq!(
            refusal(&service, &["openid"], collection.name).await,
            Some(Refusal::Forbidden)
        );
    }
}

/// The message has the place of the error, and not the value.
#[tokio::test]
async fn a_response_that_cannot_be_read() {
    let service = Service::start(0).await;
    let mut session = service.session(&scopes());
    let text = r#"{"dataPoints":[{"exercise":{"interval":{"startTime":"secretly"}}}]}"#;
    let path = "/v4/users/me/dataTypes/exercise/dataPoints:reconcile";
    session.base_url = Some(serve(Router::new().route(path, get(move || async move { text }))).await);
    let Err(Refusal::Failed(message)) = pull(&session, "workouts", last_week()).await else {
        panic!("is refused");
    };
    assert!(
        message.contains("dataPoints[0].exercise") && !message.contains("secretly"),
        "{message}"
    );
}
