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

async fn refusals_of(fault: Fault) -> Vec<Refusal> {
    let service = Service::start(0).await;
    let mut refusals = Vec::new();
    for name in ["activity", "sleep", "workouts", "profile"] {
        service.simulation.faults().push([fault]);
        refusals.extend(refusal(&service, &scopes(), name).await);
    }
    service.simulation.faults().push([fault]);
    refusals.extend(GoogleHealth.account(&service.session(&scopes())).await.err());
    assert_eq!(refusals.len(), 5, "{refusals:?}");
    refusals
}

/// The user can do nothing, and the operator is told the reason, without the number of the project.
#[tokio::test]
async fn a_project_that_is_refused_is_not_the_fault_of_the_user() {
    let disabled = r#"{"error":{"code":403,"message":"project 123 is off","status":"PERMISSION_DENIED","details":[
        {"@type":"type.googleapis.com/google.rpc.Help","links":[]},
        {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED","domain":"googleapis.com",
        "metadata":{"consumer":"projects/123","service":"health.googleapis.com"}}]}}"#;
    for refusal in refusals_of(Fault::Json(403, disabled)).await {
        let Refusal::Failed(message) = refusal else {
            panic!("{refusal:?}");
        };
        assert!(
            message.contains("SERVICE_DISABLED") && !message.contains("123"),
            "{message}"
        );
    }
    let denied = r#"{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED","details":[
        {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RESOURCE_PERMISSION_DENIED"}]}}"#;
    for refusal in refusals_of(Fault::Json(403, denied)).await {
        assert_eq!(refusal, Refusal::Forbidden);
    }
}

#[tokio::test]
async fn the_limit_of_a_user_pauses_no_other() {
    let of_user = [
        r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"reason":"RATE_LIMIT_EXCEEDED",
        "metadata":{"quota_limit":"RequestsPerMinutePerUser"}}]}}"#,
        r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"reason":"RATE_LIMIT_EXCEEDED",
        "metadata":{"quota_limit":"requests","quota_unit":"1/min/{project}/{user}"}}]}}"#,
    ];
    let minute = Duration::from_secs(60);
    for body in of_user {
        for refusal in refusals_of(Fault::Json(429, body)).await {
            assert_eq!(refusal, Refusal::Later(Some(minute)));
        }
    }
    let of_project = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"reason":"RATE_LIMIT_EXCEEDED",
        "metadata":{"quota_limit":"RequestsPerMinutePerProject","quota_unit":"1/min/{project}"}}]}}"#;
    for body in [of_project, "{", "[]"] {
        for refusal in refusals_of(Fault::Json(429, body)).await {
            assert_eq!(refusal, Refusal::Limited(minute));
        }
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
