//! Tests of notices: their checks, their meaning, and the subscriptions.

use axum::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;
use wearlab_connect::{Application, Change, Document, Notice, NoticeResponse, Received, Refusal};
use wearlab_models::ResourceName;

use super::super::Oura;
use super::super::generated::models::{DataType, EventType};
use super::service::Service;
use crate::simulated::faults::Fault;
use crate::testing::notices::{self, Address, is_forged};

/// Signature of `1773144000` and [`BODY`] with the secret `secret`.
const SIGNATURE: &str = "926F7F5E0780B6C03B3D214D9CF3BCAF5FF00113A151AB333460656CB33D5B0B";
const BODY: &str = r#"{"event_type":"update","data_type":"sleep","object_id":"c3d4-0002","event_time":"2026-03-04T05:01:02+00:00","user_id":"u-77"}"#;

fn receive(method: Method, query: &str, fields: &[(&'static str, &str)], body: &str) -> Received {
    notices::receive(&Oura, method, query, fields, body)
}

#[test]
fn challenges_are_answered_to_those_who_know_the_token() {
    for token in ["current", "earlier"] {
        let query = format!("verification_token={token}&challenge=a%2Bb");
        let response = NoticeResponse::json(200, json!({"challenge": "a+b"}));
        assert_eq!(receive(Method::GET, &query, &[], ""), Received::Check(response));
    }
    for query in [
        "",
        "challenge=a",
        "verification_token=other&challenge=a",
        "verification_token=current",
    ] {
        assert!(is_forged(&receive(Method::GET, query, &[], "")), "{query}");
    }
}

#[test]
fn a_signed_notice_is_read_as_it_was_sent() {
    let signature = SIGNATURE.to_lowercase();
    for signature in [SIGNATURE, &signature] {
        let fields = [("x-oura-signature", signature), ("x-oura-timestamp", "1773144000")];
        let expected = Received::Notices {
            response: NoticeResponse::new(200),
            notices: vec![Notice {
                provider_user_id: "u-77".to_owned(),
                change: Change::Data {
                    collections: &["sleep", "heartrate"],
                    days: None,
                    document: Some(Document {
                        resources: &[ResourceName::Sleep, ResourceName::SleepCycle],
                        provider_id: "c3d4-0002".to_owned(),
                    }),
                },
            }],
            unreadable: 0,
        };
        assert_eq!(receive(Method::POST, "", &fields, BODY), expected);
        let spaced = BODY.replace(':', ": ");
        assert!(is_forged(&receive(Method::POST, "", &fields, &spaced)));
    }
    let late = [("x-oura-signature", SIGNATURE), ("x-oura-timestamp", "1773143000")];
    assert!(is_forged(&receive(Method::POST, "", &late, BODY)), "replayed");
    assert!(is_forged(&receive(Method::POST, "", &[], BODY)));
}

async fn address() -> (Address, String) {
    Address::start(&Oura).await
}

fn application(service: &Service, notices_url: &str) -> Application {
    notices::application(&service.url, "client", notices_url)
}

async fn subscribe(application: &Application) -> Result<DateTime<Utc>, Refusal> {
    notices::subscribe(&Oura, application).await
}

#[tokio::test]
async fn the_application_is_subscribed_to_all_that_is_read() {
    let service = Service::start(1).await;
    let (_, url) = address().await;
    let application = application(&service, &url);
    let again = subscribe(&application).await.expect("subscribed");
    assert_eq!(again - application.now, TimeDelta::days(1));
    let made = service.simulation.subscriptions();
    assert_eq!(made.len(), 21);
    assert!(made.iter().all(|one| one.callback_url == url));

    let before = service.simulation.faults().requests();
    subscribe(&application).await.expect("subscribed");
    assert_eq!(service.simulation.faults().requests() - before, 1, "nothing differs");
    assert_eq!(service.simulation.subscriptions(), made);
}

#[tokio::test]
async fn subscriptions_are_renewed_moved_and_completed() {
    let service = Service::start(1).await;
    let (_, url) = address().await;
    let (_, earlier) = address().await;
    // The application moves to another URL, and one fault leaves it half done.
    subscribe(&application(&service, &earlier)).await.expect("subscribed");
    let first = service.simulation.subscriptions()[0].id;
    assert!(service.simulation.end_subscription_in(first, TimeDelta::days(29)));
    service
        .simulation
        .faults()
        .push([Fault::None, Fault::None, Fault::Status(500)]);
    let application = application(&service, &url);
    assert_eq!(subscribe(&application).await, Err(Refusal::Later(None)));
    subscribe(&application).await.expect("subscribed");
    let all = service.simulation.subscriptions();
    assert_eq!(all.len(), 21);
    for one in &all {
        assert_eq!(one.callback_url, url);
        let days = (one.expiration_time.to_utc() - Utc::now()).num_days();
        assert!(days > 80, "{days}");
    }
    assert!(all.iter().any(|one| one.id == first), "it was renewed");
}

#[tokio::test]
async fn a_url_that_does_not_answer_is_a_refusal() {
    let service = Service::start(1).await;
    notices::check_refused(&Oura, &service.url, |url| application(&service, url)).await;
    assert_eq!(service.simulation.subscriptions(), []);
}

#[tokio::test]
async fn events_of_documents_say_what_to_read_or_delete() {
    let service = Service::start(1).await;
    let (address, url) = address().await;
    subscribe(&application(&service, &url)).await.expect("subscribed");
    let document = |resources| Document {
        resources,
        provider_id: "document".to_owned(),
    };
    let data = |collections, resources| Change::Data {
        collections,
        days: None,
        document: Some(document(resources)),
    };
    let deleted = |collection, resources| Change::Deleted {
        collection,
        document: document(resources),
    };
    let (sleeps, activities) = (
        &[ResourceName::Sleep, ResourceName::SleepCycle][..],
        &[ResourceName::Activity][..],
    );
    for (event, kind, change) in [
        (
            EventType::Create,
            DataType::DailyActivity,
            data(&["activity", "heartrate"], activities),
        ),
        (EventType::Update, DataType::DailyReadiness, data(&["sleep"], &[])),
        (
            EventType::Update,
            DataType::Sleep,
            data(&["sleep", "heartrate"], sleeps),
        ),
        (EventType::Delete, DataType::DailySpo2, data(&["blood_oxygen"], &[])),
        (
            EventType::Delete,
            DataType::DailyActivity,
            deleted("activity", activities),
        ),
        (EventType::Delete, DataType::Sleep, deleted("sleep", sleeps)),
    ] {
        let status = service.simulation.notify(event, kind, "document").await;
        assert_eq!(status, Some(200));
        let person = service.simulation.with_data(|data| data.person.id.clone());
        assert_eq!(
            address.take(),
            [Notice {
                provider_user_id: person,
                change,
            }]
        );
    }
    let unwanted = service
        .simulation
        .notify(EventType::Create, DataType::Tag, "document")
        .await;
    assert_eq!(unwanted, None, "nothing is subscribed to tags");
}

/// All collections of notices exist, and so do the resources of deletions.
#[test]
fn notices_name_collections_of_the_provider() {
    for kind in super::super::notices::KINDS {
        for (event, id) in [(EventType::Create, Uuid::nil()), (EventType::Delete, Uuid::nil())] {
            let body = json!({
                "event_type": event, "data_type": kind.data_type, "object_id": id, "user_id": "u-77",
            });
            let notice = super::super::notices::read(serde_json::from_value(body).expect("a notice"));
            notices::check_change(&Oura, &notice.expect("a meaning").change);
        }
    }
}
