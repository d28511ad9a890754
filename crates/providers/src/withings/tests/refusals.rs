//! Tests of requests that are refused.

use std::time::Duration;

use axum::Router;
use axum::routing::post;
use wearlab_connect::{Provider, Refusal, Span};

use super::super::Withings;
use super::service::{SCOPES, Service, last_day, pull};
use crate::simulated::faults::Fault;
use crate::testing::{last_days, serve};

fn last_week() -> Span {
    last_days(last_day(), 7)
}

async fn refusal(service: &Service, scopes: &[&str], name: &str) -> Option<Refusal> {
    pull(&service.session(scopes), name, last_week()).await.err()
}

/// All statuses are in responses of HTTP 200.
#[tokio::test]
async fn statuses_of_responses() {
    let service = Service::start("Europe/Oslo").await;
    let failed = |text: &str| Refusal::Failed(text.to_owned());
    let limited = Refusal::Limited(Duration::from_secs(60));
    let cases = [
        (601, "Too many requests", limited),
        (401, "The access token is invalid", Refusal::Unauthorized),
        (100, "", Refusal::Unauthorized),
        (102, "", Refusal::Unauthorized),
        (200, "", Refusal::Unauthorized),
        (214, "Unauthorized", Refusal::Forbidden),
        (2_555, "Unauthorized", Refusal::Forbidden),
        (522, "Timeout", Refusal::Later(None)),
        (215, "An error occurred", Refusal::Later(None)),
        (2_554, "", Refusal::Forbidden),
        (503, "An error occurred", Refusal::Later(None)),
        (
            503,
            "Service unavailable",
            failed("the provider rejects a request: status 503"),
        ),
        (90_210, "", failed("the provider rejects a request: status 90210")),
        (
            503,
            "Invalid Params: secretly",
            failed("the provider rejects the parameters of a request: status 503"),
        ),
    ];
    for (status, text, expected) in cases {
        for collection in Withings.profile().collections {
            service.simulation.push_error(status, text);
            let refused = refusal(&service, SCOPES, collection.name).await;
            assert_eq!(refused.as_ref(), Some(&expected), "{status} of {}", collection.name);
        }
    }
    for collection in Withings.profile().collections {
        assert_eq!(refusal(&service, SCOPES, collection.name).await, None);
    }
}

#[tokio::test]
async fn failures_of_http() {
    let service = Service::start("Europe/Oslo").await;
    let cases = [
        (
            Fault::TooManyRequests(Duration::from_secs(17)),
            Refusal::Limited(Duration::from_secs(17)),
        ),
        (Fault::Status(500), Refusal::Later(None)),
        (Fault::Status(502), Refusal::Later(None)),
        (Fault::Truncated, Refusal::Later(None)),
        (Fault::Status(403), Refusal::Forbidden),
        (Fault::Status(401), Refusal::Unauthorized),
    ];
    for (fault, expected) in cases {
        for collection in Withings.profile().collections {
            service.simulation.faults().push([fault]);
            assert_eq!(
                refusal(&service, SCOPES, collection.name).await.as_ref(),
                Some(&expected)
            );
        }
    }
}

/// A list whose later requests fail returns nothing.
#[tokio::test]
async fn a_later_request_fails() {
    let service = Service::start("Europe/Oslo").await;
    for before in [1, 4, 9] {
        let faults = service.simulation.faults();
        faults.push(std::iter::repeat_n(Fault::None, before).chain([Fault::Status(500)]));
        assert_eq!(refusal(&service, SCOPES, "samples").await, Some(Refusal::Later(None)));
    }
}

#[tokio::test]
async fn tokens_and_scopes() {
    let service = Service::start("Europe/Oslo").await;
    let stranger = service.session_of("invented");
    for collection in Withings.profile().collections {
        let refused = pull(&stranger, collection.name, last_week()).await;
        assert_eq!(refused, Err(Refusal::Unauthorized));
        let without = refusal(&service, &["user.info"], collection.name).await;
        assert_eq!(without, Some(Refusal::Forbidden), "{}", collection.name);
    }
    let token = service.grants().issue(SCOPES);
    let session = service.session_of(&token);
    assert!(pull(&session, "sleep", last_week()).await.is_ok());
    assert!(service.grants().revoke(&token));
    assert_eq!(pull(&session, "sleep", last_week()).await, Err(Refusal::Unauthorized));
}

/// Responses that do not have what was requested. Messages have the place, and no value.
#[tokio::test]
async fn responses_that_cannot_be_read() {
    let service = Service::start("Europe/Oslo").await;
    let mut session = service.session(SCOPES);
    for (path, name, text, expected) in [
        (
            "/measure",
            "measures",
            r#"{"status":0,"body":{"measuregrps":[{"grpid":1,"date":"secretly","measures":[]}]}}"#,
            "measuregrps[0].date",
        ),
        ("/measure", "measures", r#"{"status":0}"#, "no body"),
        (
            "/measure",
            "measures",
            r#"{"status":0,"body":{"measuregrps":[],"more":1}}"#,
            "no offset",
        ),
        ("/v2/measure", "activity", r#"{"body":{}}"#, "cannot be read"),
        (
            "/v2/measure",
            "workouts",
            r#"{"status":0,"body":{"series":{"1":{"steps":1}}}}"#,
            "expected workouts",
        ),
        (
            "/v2/measure",
            "workouts",
            r#"{"status":0,"body":{"series":[{"id":"secretly"}]}}"#,
            "expected workouts",
        ),
        (
            "/v2/sleep",
            "sleep",
            r#"{"status":0,"body":{"series":[{"startdate":1,"enddate":2,"state":0}]}}"#,
            "expected nights",
        ),
    ] {
        session.base_url = Some(serve(Router::new().route(path, post(move || async move { text }))).await);
        let Err(Refusal::Failed(message)) = pull(&session, name, last_week()).await else {
            panic!("{text} is refused");
        };
        assert!(message.contains(expected) && !message.contains("secretly"), "{message}");
    }
    let endless = r#"{"status":0,"body":{"activities":[],"more":true,"offset":20}}"#;
    session.base_url = Some(serve(Router::new().route("/v2/measure", post(move || async move { endless }))).await);
    assert!(matches!(
        pull(&session, "activity", last_week()).await,
        Err(Refusal::Failed(_))
    ));
    let empty = r#"{"status":0,"body":{"series":{}}}"#;
    session.base_url = Some(serve(Router::new().route("/v2/measure", post(move || async move { empty }))).await);
    assert_eq!(pull(&session, "workouts", last_week()).await, Ok(Vec::new()));
}
