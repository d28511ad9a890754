//! Tests of notices: their checks, their meaning, and the subscription.

use axum::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use wearlab_connect::{Application, Change, Document, Notice, NoticeResponse, Provider, Received, Refusal};
use wearlab_models::ResourceName;

use super::super::Strava;
use super::super::generated::models::AspectType;
use super::super::simulated::{Data, Simulation, router};
use super::service::{SCOPES, Service, last_day};
use crate::simulated::faults::Fault;
use crate::simulated::oauth::Grants;
use crate::testing::notices::{self, Address, is_forged, received};

/// Signature of `1773144000`, a dot and [`BODY`] with the secret `secret`.
const SIGNATURE: &str = "b619b5e869da3ded821f3064d5eb469fad077f26432949f83935e2f43ce66c6a";
const BODY: &str = r#"{"object_type":"activity","object_id":9900112233,"aspect_type":"update","updates":{"title":"Lunch loop"},"owner_id":31337,"subscription_id":55,"event_time":1772622400}"#;

fn receive(method: Method, query: &str, fields: &[(&'static str, &str)], body: &str) -> Received {
    notices::receive(&Strava, method, query, fields, body)
}

/// Returns the change of a notice without a signature. None if it is of an unknown kind.
fn change(body: &str) -> Option<Change> {
    match receive(Method::POST, "", &[], body) {
        Received::Notices {
            response,
            notices,
            unreadable,
        } => {
            assert_eq!(response, NoticeResponse::new(200), "{body}");
            assert_eq!(notices.len() + unreadable, 1, "{body}");
            let notice = notices.into_iter().next()?;
            assert_eq!(notice.provider_user_id, "31337");
            notices::check_change(&Strava, &notice.change);
            Some(notice.change)
        }
        other => panic!("{other:?}"),
    }
}

fn workout(id: &str) -> Document {
    Document {
        resources: &[ResourceName::Workouts],
        provider_id: id.to_owned(),
    }
}

fn updated(id: &str) -> Change {
    Change::Document {
        collections: &["workouts"],
        document: workout(id),
    }
}

#[test]
fn challenges_are_answered_to_those_who_know_the_token() {
    for token in ["current", "earlier"] {
        let query = format!("hub.verify_token={token}&hub.challenge=a%2Bb&hub.mode=subscribe");
        let response = NoticeResponse::json(200, json!({"hub.challenge": "a+b"}));
        assert_eq!(receive(Method::GET, &query, &[], ""), Received::Check(response));
    }
    for query in [
        "",
        "hub.challenge=a&hub.mode=subscribe",
        "hub.verify_token=other&hub.challenge=a&hub.mode=subscribe",
        "hub.verify_token=current&hub.mode=subscribe",
        "hub.verify_token=current&hub.challenge=a",
        "hub.verify_token=current&hub.challenge=a&hub.mode=unsubscribe",
    ] {
        assert!(is_forged(&receive(Method::GET, query, &[], "")), "{query}");
    }
}

#[test]
fn a_signature_that_is_there_must_be_right() {
    let right = format!("t=1773144000,v1={SIGNATURE}");
    let expected = Received::Notices {
        response: NoticeResponse::new(200),
        notices: vec![Notice {
            provider_user_id: "31337".to_owned(),
            change: updated("9900112233"),
        }],
        unreadable: 0,
    };
    for fields in [&[("x-strava-signature", right.as_str())][..], &[]] {
        assert_eq!(receive(Method::POST, "", fields, BODY), expected);
    }
    let spaced = BODY.replace(':', ": ");
    let late = right.replace("1773144000", "1773143000");
    for (signature, body) in [
        (right.as_str(), spaced.as_str()),
        (&late, BODY),
        ("", BODY),
        ("v1=00", BODY),
    ] {
        let received = receive(Method::POST, "", &[("x-strava-signature", signature)], body);
        assert!(is_forged(&received), "{signature}");
    }
}

#[test]
fn notices_say_what_to_read_or_delete() {
    let of = |object: &str, aspect: &str, updates: &str| {
        let id = if object == "athlete" { 31337 } else { 9900112233_i64 };
        change(&format!(
            r#"{{"object_type":"{object}","object_id":{id},"aspect_type":"{aspect}","updates":{updates},"owner_id":31337,"event_time":1772622400,"new":[]}}"#
        ))
    };
    let ended = Change::Deauthorised {
        at: "2026-03-04T11:06:40Z".parse().expect("a time"),
    };
    let deleted = Change::Deleted {
        collection: "workouts",
        document: workout("9900112233"),
    };
    let profile = Change::Data {
        collections: &["profile"],
        days: None,
        document: None,
    };
    for (object, aspect, updates, expected) in [
        ("activity", "create", "{}", Some(updated("9900112233"))),
        (
            "activity",
            "update",
            r#"{"private":"true"}"#,
            Some(updated("9900112233")),
        ),
        ("activity", "delete", "{}", Some(deleted)),
        ("athlete", "update", r#"{"authorized":"false"}"#, Some(ended.clone())),
        ("athlete", "update", r#"{"authorized":false}"#, Some(ended.clone())),
        ("athlete", "delete", "null", Some(ended)),
        ("athlete", "update", r#"{"authorized":"true"}"#, Some(profile.clone())),
        ("athlete", "update", "{}", Some(profile)),
        ("gear", "update", "{}", None),
        ("activity", "archive", "{}", None),
    ] {
        assert_eq!(of(object, aspect, updates), expected, "{object} {aspect} {updates}");
    }
    for unreadable in [
        "",
        "[]",
        "{}",
        r#"{"object_type":"activity","aspect_type":"create","owner_id":31337}"#,
    ] {
        assert_eq!(change(unreadable), None);
    }
    let without_time = r#"{"object_type":"athlete","object_id":31337,"aspect_type":"delete","owner_id":31337}"#;
    assert_eq!(change(without_time), Some(Change::Deauthorised { at: received() }));
}

/// Simulation of an application, whose id is a number.
async fn start() -> Service {
    let data = Data::generate(7, chrono::FixedOffset::east_opt(0).expect("UTC"), last_day(), 10);
    let simulation = Simulation::new(data, Grants::new("5", "secret", 3_600));
    Service::listen(simulation, router).await
}

fn application(service: &Service, notices_url: &str) -> Application {
    notices::application(&service.url, "5", notices_url)
}

async fn subscribe(application: &Application) -> Result<DateTime<Utc>, Refusal> {
    notices::subscribe(&Strava, application).await
}

/// Returns the URL of the subscription.
fn subscribed(service: &Service) -> Option<String> {
    service.simulation.subscription().and_then(|one| one.callback_url)
}

#[tokio::test]
async fn the_application_has_one_subscription() {
    let service = start().await;
    let (_, url) = Address::start(&Strava).await;
    let application = application(&service, &url);
    let again = subscribe(&application).await.expect("subscribed");
    assert_eq!(again - application.now, TimeDelta::days(1));
    let made = service.simulation.subscription();
    assert_eq!(subscribed(&service), Some(url));

    let before = service.requests();
    subscribe(&application).await.expect("subscribed");
    assert_eq!(service.requests() - before, 1, "nothing differs");
    assert_eq!(service.simulation.subscription(), made);
}

#[tokio::test]
async fn a_subscription_with_an_earlier_secret_is_replaced() {
    let service = start().await;
    let (_, earlier) = Address::start(&Strava).await;
    let url = earlier.replace("/one", "/two");
    subscribe(&application(&service, &earlier)).await.expect("subscribed");
    // A fault after the deletion leaves none.
    service
        .simulation
        .faults()
        .push([Fault::None, Fault::None, Fault::Status(500)]);
    let application = application(&service, &url);
    assert_eq!(subscribe(&application).await, Err(Refusal::Later(None)));
    assert_eq!(subscribed(&service), None);
    subscribe(&application).await.expect("subscribed");
    assert_eq!(subscribed(&service), Some(url));
}

#[tokio::test]
async fn a_subscription_of_another_service_stays() {
    let service = start().await;
    let (_, theirs) = Address::start(&Strava).await;
    let (_, ours) = Address::start(&Strava).await;
    subscribe(&application(&service, &theirs)).await.expect("subscribed");
    let refused = subscribe(&application(&service, &ours)).await;
    let Err(Refusal::Failed(reason)) = refused else {
        panic!("{refused:?}");
    };
    assert!(reason.contains("the subscription 51 of the application"), "{reason}");
    assert_eq!(subscribed(&service), Some(theirs));
}

#[tokio::test]
async fn an_application_or_a_url_that_is_not_accepted_is_a_refusal() {
    let service = start().await;
    notices::check_refused(&Strava, &service.url, |url| application(&service, url)).await;
    let (_, url) = Address::start(&Strava).await;
    let unnumbered = Application {
        client_id: "five".to_owned(),
        ..application(&service, &url)
    };
    let Err(Refusal::Failed(reason)) = subscribe(&unnumbered).await else {
        panic!("a name is accepted");
    };
    assert!(reason.contains("connectors.strava.client_id"), "{reason}");
    service.simulation.faults().push([Fault::Status(429)]);
    let limited = subscribe(&application(&service, &url)).await;
    assert!(matches!(limited, Err(Refusal::Limited(_))), "{limited:?}");
    assert_eq!(service.simulation.subscription(), None);
}

#[tokio::test]
async fn notices_of_the_simulation_are_read() {
    let service = start().await;
    let (address, url) = Address::start(&Strava).await;
    assert_eq!(
        service.simulation.notify(AspectType::Create, 1).await,
        None,
        "nobody is subscribed"
    );
    subscribe(&application(&service, &url)).await.expect("subscribed");
    let session = service.session(&["read"]);
    let account = Strava.account(&session).await.expect("an account");
    for is_signing in [false, true] {
        service.simulation.sign_notices(is_signing);
        assert_eq!(service.simulation.notify(AspectType::Create, 77).await, Some(200));
        let taken = address.take();
        assert_eq!(taken.len(), 1);
        assert_eq!(Some(&taken[0].provider_user_id), account.provider_user_id.as_ref());
        assert_eq!(taken[0].change, updated("77"));
    }
    assert_eq!(service.simulation.deauthorise().await, Some(200));
    assert!(matches!(address.take()[0].change, Change::Deauthorised { .. }));
    assert_eq!(Strava.account(&session).await.err(), Some(Refusal::Unauthorized));
}

/// A notice does not have the day of an activity.
#[tokio::test]
async fn the_day_of_an_activity_is_looked_up() {
    let offset = chrono::FixedOffset::east_opt(13 * 3_600).expect("an offset");
    let data = Data::generate(7, offset, last_day(), 60);
    let service = Service::listen(Simulation::new(data, Grants::new("5", "secret", 3_600)), router).await;
    let (session, workouts) = (service.session(SCOPES), &Strava.profile().collections[0]);
    let day_of = async |id: &str| Strava.day_of(&session, workouts, id).await;
    let activities = service.simulation.with_data(|data| data.activities.clone());
    let mut differs_in_utc = false;
    for recorded in activities.iter().map(|recorded| &recorded.activity).take(20) {
        let local = recorded.start_date_local.expect("a time").date_naive();
        assert_eq!(day_of(&recorded.id.to_string()).await, Ok(Some(local)));
        differs_in_utc |= recorded.start_date.date_naive() != local;
    }
    assert!(differs_in_utc, "the day is that of the person");
    assert_eq!(day_of("77").await, Ok(None), "it is gone");
    assert_eq!(day_of("seven").await, Ok(None));
    service.simulation.faults().push([Fault::Status(429)]);
    assert!(matches!(day_of("77").await, Err(Refusal::Limited(_))));
}
