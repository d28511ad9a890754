//! Tests of the registration after a link.

use wearlab_connect::{Provider, Refusal};

use super::super::Polar;
use super::service::{SCOPES, Service};
use crate::simulated::faults::Fault;

#[tokio::test]
async fn a_person_is_registered_once() {
    let service = Service::start(0).await;
    service.simulation.with_data(|data| data.is_registered = false);
    assert_eq!(
        service.pull("sleep", 3).await,
        Err(Refusal::Forbidden),
        "nothing is read before"
    );
    let id = service.simulation.with_data(|data| data.user_id.to_string());
    let account = Polar.account(&service.session(SCOPES)).await.expect("an account");
    assert_eq!(account.provider_user_id, Some(id));
    assert!(service.pull("sleep", 3).await.is_ok());

    // Registered already, such as by an attempt whose response was lost: the id is that of the token response.
    let account = Polar.account(&service.session(SCOPES)).await.expect("an account");
    assert_eq!(account.provider_user_id, None);
}

#[tokio::test]
async fn an_attempt_that_fails_is_repeated() {
    let service = Service::start(0).await;
    service.simulation.with_data(|data| data.is_registered = false);
    service.simulation.faults().push([Fault::Truncated]);
    assert_eq!(
        Polar.account(&service.session(SCOPES)).await.err(),
        Some(Refusal::Later(None))
    );
    assert!(Polar.account(&service.session(SCOPES)).await.is_ok());
    assert!(service.pull("activity", 3).await.is_ok());
}

/// A 403 is for the person: the consents can still be given, and then everything goes on.
#[tokio::test]
async fn consents_that_are_missing() {
    let service = Service::start(0).await;
    service
        .simulation
        .with_data(|data| (data.is_registered, data.has_consents) = (false, false));
    assert_eq!(
        Polar.account(&service.session(SCOPES)).await.err(),
        Some(Refusal::Forbidden)
    );
    service.simulation.with_data(|data| data.has_consents = true);
    assert!(Polar.account(&service.session(SCOPES)).await.is_ok());
    service.simulation.with_data(|data| data.has_consents = false);
    for collection in Polar.profile().collections {
        assert_eq!(service.pull(collection.name, 3).await, Err(Refusal::Forbidden));
    }
}
