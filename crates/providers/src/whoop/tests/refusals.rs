//! Tests of requests that are refused.

use axum::Router;
use axum::routing::get;
use wearlab_connect::{Provider, Refusal};

use super::super::Whoop;
use super::service::{SCOPES, Service, last_day, last_week, pull};
use crate::simulated::faults::Fault;
use crate::testing::{failures, serve, session};

async fn refusal(service: &Service, scopes: &[&str], name: &str) -> Option<Refusal> {
    let today = wearlab_connect::Span {
        first: last_day(),
        last: last_day(),
    };
    pull(&service.session(scopes), name, today).await.err()
}

#[tokio::test]
async fn failures_of_the_provider() {
    let service = Service::start(0).await;
    for (failure, expected) in failures() {
        for collection in Whoop.profile().collections {
            service.simulation.faults().push([failure]);
            // A person without measurements is a 404.
            let is_none = failure == Fault::Status(404) && collection.name == "profile";
            let expected = (!is_none).then_some(&expected);
            assert_eq!(refusal(&service, SCOPES, collection.name).await.as_ref(), expected);
            assert_eq!(
                refusal(&service, SCOPES, collection.name).await,
                None,
                "one request fails"
            );
        }
        // Without the profile, a record has the id.
        let requests = if failure == Fault::Status(403) { 2 } else { 1 };
        service.simulation.faults().push(vec![failure; requests]);
        let account = Whoop.account(&service.session(SCOPES)).await;
        assert_eq!(account.err(), Some(expected));
    }
}

/// A failure of any of the lists fails all of them: a cycle without its night would be of another day.
#[tokio::test]
async fn a_later_list_fails() {
    let service = Service::start(0).await;
    for before in 1..3 {
        let mut faults = vec![Fault::None; before];
        faults.push(Fault::Status(500));
        service.simulation.faults().push(faults);
        assert_eq!(refusal(&service, SCOPES, "cycles").await, Some(Refusal::Later(None)));
    }
}

#[tokio::test]
async fn tokens_that_are_not_valid() {
    let service = Service::start(0).await;
    let stranger = session(&service.url, "invented");
    for collection in Whoop.profile().collections {
        let pulled = pull(&stranger, collection.name, last_week()).await;
        assert_eq!(pulled, Err(Refusal::Unauthorized));
    }
    assert_eq!(Whoop.account(&stranger).await.err(), Some(Refusal::Unauthorized));
}

/// A scope that is missing does not end the link, also where the provider responds as if the token had ended.
#[tokio::test]
async fn scopes_that_are_missing() {
    let service = Service::start(0).await;
    for name in ["cycles", "workouts", "profile"] {
        assert_eq!(
            refusal(&service, &["read:profile"], name).await,
            Some(Refusal::Forbidden),
            "{name}"
        );
        service.simulation.faults().push([Fault::Status(401)]);
        assert_eq!(
            refusal(&service, SCOPES, name).await,
            Some(Refusal::Forbidden),
            "{name}"
        );
    }
    let without_sleep: Vec<_> = SCOPES.iter().copied().filter(|scope| *scope != "read:sleep").collect();
    assert_eq!(
        refusal(&service, &without_sleep, "cycles").await,
        Some(Refusal::Forbidden)
    );
    assert_eq!(refusal(&service, &without_sleep, "workouts").await, None);
}

/// The message has the place of the error, and not the value.
#[tokio::test]
async fn a_response_that_cannot_be_read() {
    let text = r#"{"records":[{"id":"secretly"}],"next_token":null}"#;
    let router = Router::new().route("/v2/activity/workout", get(move || async move { text }));
    let session = session(&serve(router).await, "token");
    let Err(Refusal::Failed(message)) = pull(&session, "workouts", last_week()).await else {
        panic!("is refused");
    };
    assert!(
        message.contains("records[0].id") && !message.contains("secretly"),
        "{message}"
    );
}
