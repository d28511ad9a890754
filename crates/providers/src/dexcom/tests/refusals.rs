//! Tests of requests that are refused.

use axum::Router;
use axum::routing::get;
use chrono::Days;
use wearlab_connect::{Provider, Refusal, Span};

use super::super::Dexcom;
use super::service::{SCOPES, Service, last_day, last_week, pull};
use crate::simulated::faults::Fault;
use crate::testing::{failures, serve, session};

async fn refusal(service: &Service, scopes: &[&str]) -> Option<Refusal> {
    let today = Span {
        first: last_day(),
        last: last_day(),
    };
    pull(&service.session(scopes), today).await.err()
}

/// A failure of any of the lists.
#[tokio::test]
async fn failures_of_the_provider() {
    let service = Service::start().await;
    for (failure, expected) in failures() {
        for before in 0..3 {
            let mut faults = vec![Fault::None; before];
            faults.push(failure);
            service.simulation.faults().push(faults);
            assert_eq!(refusal(&service, SCOPES).await.as_ref(), Some(&expected));
            assert_eq!(refusal(&service, SCOPES).await, None, "one request fails");
        }
        service.simulation.faults().push([failure]);
        let account = Dexcom.account(&service.session(SCOPES)).await;
        assert_eq!(account.err(), Some(expected));
    }
}

#[tokio::test]
async fn tokens_that_are_not_valid() {
    let service = Service::start().await;
    let stranger = session(&service.url, "invented");
    assert_eq!(pull(&stranger, last_week()).await, Err(Refusal::Unauthorized));
    assert_eq!(Dexcom.account(&stranger).await.err(), Some(Refusal::Unauthorized));
    assert_eq!(
        refusal(&service, &[]).await,
        Some(Refusal::Forbidden),
        "without the scope"
    );
}

/// The provider refuses more than 30 days.
#[tokio::test]
async fn a_span_that_is_too_long() {
    let service = Service::start().await;
    let session = service.session(SCOPES);
    let collection = &Dexcom.profile().collections[0];
    for (days, is_allowed) in [(28, true), (29, false)] {
        let span = Span {
            first: last_day() - Days::new(days - 1),
            last: last_day(),
        };
        let pulled = Dexcom.pull(&session, collection, span).await;
        match is_allowed {
            true => assert!(pulled.is_ok()),
            false => assert!(matches!(pulled, Err(Refusal::Failed(_)))),
        }
    }
}

/// The message has the place of the error, and not the value.
#[tokio::test]
async fn a_response_that_cannot_be_read() {
    for (time, unit, place) in [
        ("secretly", r#""mg/dL""#, "records[0].systemTime"),
        ("2026-03-04T06:00:00", "{}", "records[0].unit"),
    ] {
        let text = format!(
            r#"{{"userId":"a","records":[{{"recordId":"secretly","systemTime":"{time}","displayTime":"secretly",
                "value":7,"unit":{unit}}}]}}"#
        );
        let router = Router::new().route("/v3/users/self/egvs", get(move || async move { text }));
        let session = session(&serve(router).await, "token");
        let Err(Refusal::Failed(message)) = pull(&session, last_week()).await else {
            panic!("is refused");
        };
        assert!(message.contains(place) && !message.contains("secretly"), "{message}");
    }
}
