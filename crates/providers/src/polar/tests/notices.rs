//! Tests of notices: their check, their meaning, and the webhook.

use axum::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use wearlab_connect::{Application, Change, Notice, NoticeResponse, Provider, Received, Refusal, Span};

use super::super::Polar;
use super::super::generated::client::Client;
use super::super::generated::models::{EventType, WebhookUpdate};
use super::service::{SCOPES, Service, last_day};
use crate::simulated::faults::Fault;
use crate::testing::notices::{self, Address};

fn receive(body: &str) -> Received {
    notices::receive(&Polar, Method::POST, "", &[], body)
}

/// Returns the meaning of notices of a person.
fn read(body: &str) -> Option<Notice> {
    match receive(body) {
        Received::Notices {
            response,
            notices,
            unreadable,
        } => {
            assert_eq!(response, NoticeResponse::new(200), "{body}");
            assert_eq!(notices.len() + unreadable, 1, "{body}");
            let notice = notices.into_iter().next()?;
            notices::check_change(&Polar, &notice.change);
            Some(notice)
        }
        other => panic!("{other:?}"),
    }
}

fn data(collections: &'static [&'static str], days: Option<[&str; 2]>) -> Change {
    let day = |text: &str| text.parse().expect("a day");
    Change::Data {
        collections,
        days: days.map(|[first, last]| Span {
            first: day(first),
            last: day(last),
        }),
        document: None,
    }
}

#[test]
fn a_ping_is_answered() {
    for body in [
        r#"{"timestamp":"2026-03-01T10:00:00Z","event":"PING"}"#,
        r#"{"event":"PING"}"#,
    ] {
        assert_eq!(receive(body), Received::Check(NoticeResponse::new(200)));
    }
    let got = notices::receive(&Polar, Method::GET, "", &[], "");
    assert!(matches!(got, Received::Forged { .. }), "{got:?}");
}

#[test]
fn events_say_what_to_read() {
    let day = Some(["2026-03-04", "2026-03-04"]);
    for (members, expected) in [
        (
            json!({"event": "SLEEP", "date": "2026-03-04", "url": "https://www.polaraccesslink.com/v3/users/sleep/2026-03-04"}),
            Some(data(&["sleep", "measurements"], Some(["2026-03-03", "2026-03-04"]))),
        ),
        (
            json!({"event": "CONTINUOUS_HEART_RATE", "date": "2026-03-04"}),
            Some(data(&["heartrate"], day)),
        ),
        (
            json!({"event": "ACTIVITY_SUMMARY", "date": "2026-03-04", "new": []}),
            Some(data(&["activity"], day)),
        ),
        (
            json!({"event": "EXERCISE", "entity_id": "aQlC83"}),
            Some(data(&["workouts"], None)),
        ),
        (json!({"event": "PHYSICAL_INFORMATION"}), Some(data(&["profile"], None))),
        (json!({"event": "SLEEP"}), Some(data(&["sleep", "measurements"], None))),
        (
            json!({"event": "SLEEP_WISE_ALERTNESS", "from": "2026-03-04", "to": "2026-03-05"}),
            None,
        ),
        (json!({"event": "HICCUP"}), None),
        (json!({"date": "2026-03-04"}), None),
    ] {
        let mut body = members.clone();
        body["user_id"] = json!(5150);
        body["timestamp"] = json!("2026-03-04T04:41:10Z");
        let expected = expected.map(|change| Notice {
            provider_user_id: "5150".to_owned(),
            change,
        });
        assert_eq!(read(&body.to_string()), expected, "{members}");
    }
    for unreadable in ["", "[]", r#"{"event":"SLEEP","date":"2026-03-04"}"#] {
        assert_eq!(read(unreadable), None);
    }
}

fn application(service: &Service, notices_url: &str) -> Application {
    notices::application(&service.url, "client", notices_url)
}

async fn subscribe(application: &Application) -> Result<DateTime<Utc>, Refusal> {
    notices::subscribe(&Polar, application).await
}

/// Returns the URL of the webhook.
fn subscribed(service: &Service) -> Option<String> {
    service.simulation.webhook().and_then(|webhook| webhook.url)
}

#[tokio::test]
async fn the_application_has_one_webhook() {
    let service = Service::start(0).await;
    let (_, url) = Address::start(&Polar).await;
    let application = application(&service, &url);
    let again = subscribe(&application).await.expect("subscribed");
    assert_eq!(again - application.now, TimeDelta::days(1));
    let made = service.simulation.webhook().expect("a webhook");
    assert_eq!((made.url.as_deref(), made.events.len()), (Some(url.as_str()), 5));

    let before = service.requests();
    subscribe(&application).await.expect("subscribed");
    assert_eq!(service.requests() - before, 1, "nothing differs");
    assert_eq!(service.simulation.webhook(), Some(made));
}

#[tokio::test]
async fn a_webhook_is_moved_completed_and_activated() {
    let service = Service::start(0).await;
    let (address, earlier) = Address::start(&Polar).await;
    let url = earlier.replace("/one", "/two");
    subscribe(&application(&service, &earlier)).await.expect("subscribed");
    let made = service.simulation.webhook().expect("a webhook");
    let update = WebhookUpdate {
        events: Some(vec![EventType::Sleep, EventType::SleepWiseAlertness]),
        url: None,
    };
    let client = Client::builder().base_url(&service.url).application("client", "secret");
    let client = client.build().expect("a client");
    client.update_webhook(&made.id, update).send().await.expect("changed");
    assert!(service.simulation.deactivate_webhook());
    let notify = || service.simulation.notify(EventType::Sleep, Some(last_day()), None);
    assert_eq!(notify().await, None, "it is not active");

    // A fault leaves it half done.
    service
        .simulation
        .faults()
        .push([Fault::None, Fault::None, Fault::Status(500)]);
    let application = application(&service, &url);
    assert_eq!(subscribe(&application).await, Err(Refusal::Later(None)));
    subscribe(&application).await.expect("subscribed");
    let kept = service.simulation.webhook().expect("a webhook");
    assert_eq!((&kept.id, kept.url), (&made.id, Some(url)));
    assert_eq!((kept.events, kept.active), (made.events, Some(true)));
    assert_eq!(notify().await, Some(200));
    assert_eq!(address.take().len(), 1);
}

#[tokio::test]
async fn a_webhook_of_another_service_stays() {
    let service = Service::start(0).await;
    let (_, theirs) = Address::start(&Polar).await;
    let (_, ours) = Address::start(&Polar).await;
    subscribe(&application(&service, &theirs)).await.expect("subscribed");
    let id = service.simulation.webhook().expect("a webhook").id;
    let refused = subscribe(&application(&service, &ours)).await;
    let Err(Refusal::Failed(reason)) = refused else {
        panic!("{refused:?}");
    };
    assert!(reason.contains(&id), "{reason}");
    assert_eq!(subscribed(&service), Some(theirs));
}

#[tokio::test]
async fn an_application_or_a_url_that_is_not_accepted_is_a_refusal() {
    let service = Service::start(0).await;
    notices::check_refused(&Polar, &service.url, |url| application(&service, url)).await;
    assert_eq!(service.simulation.webhook(), None);
}

#[tokio::test]
async fn notices_name_the_account() {
    let service = Service::start(0).await;
    service.simulation.with_data(|data| data.is_registered = false);
    let account = Polar.account(&service.session(SCOPES)).await.expect("an account");
    let (address, url) = Address::start(&Polar).await;
    subscribe(&application(&service, &url)).await.expect("subscribed");
    let status = service
        .simulation
        .notify(EventType::Exercise, None, Some("aQlC83"))
        .await;
    assert_eq!(status, Some(200));
    let taken = address.take();
    assert_eq!(taken.len(), 1);
    assert_eq!(Some(&taken[0].provider_user_id), account.provider_user_id.as_ref());
}
