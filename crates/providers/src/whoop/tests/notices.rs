//! Tests of notices: their signatures, their meaning, and the days of records.

use axum::http::Method;
use chrono::Utc;
use wearlab_connect::{Change, Document, Notice, NoticeResponse, Provider, Received};
use wearlab_models::{ResourceName, Uuid};

use super::super::Whoop;
use super::super::generated::models::NoticeType;
use super::service::{SCOPES, Service};
use crate::testing::notices::{self, Address, is_forged};

/// Signature of `1773144000000` and [`BODY`] with the secret `secret`.
const SIGNATURE: &str = "ee8AfWWUKHX0cWyn3p6bH7soRTJ75ledhGejSmcYaW4=";
const BODY: &str = r#"{"user_id":10129,"id":"550e8400-e29b-41d4-a716-446655440000","type":"sleep.updated","trace_id":"e369c784-5100-49e8-8098-75d35c47b31b"}"#;
/// Signature of the same time and `{}`.
const EMPTY_SIGNATURE: &str = "ZIQh/u1DR7UEbyYfDr5vGNGlCRJRES+sGQREBokBgqI=";
const ID: &str = "550e8400-e29b-41d4-a716-446655440000";

fn receive(signature: &str, timestamp: &str, body: &str) -> Received {
    let fields = [
        ("x-whoop-signature", signature),
        ("x-whoop-signature-timestamp", timestamp),
    ];
    notices::receive(&Whoop, Method::POST, "", &fields, body)
}

fn document(resources: &'static [ResourceName]) -> Document {
    Document {
        resources,
        provider_id: ID.to_owned(),
    }
}

fn updated(collections: &'static [&'static str], resources: &'static [ResourceName]) -> Change {
    Change::Document {
        collections,
        document: document(resources),
    }
}

#[test]
fn notices_are_signed_with_their_time() {
    let expected = Received::Notices {
        response: NoticeResponse::new(200),
        notices: vec![Notice {
            provider_user_id: "10129".to_owned(),
            change: updated(&["cycles"], &[ResourceName::Sleep]),
        }],
        unreadable: 0,
    };
    assert_eq!(receive(SIGNATURE, "1773144000000", BODY), expected);
    for (signature, timestamp, body) in [
        ("", "1773144000000", BODY),
        (SIGNATURE, "1773144000", BODY),
        (SIGNATURE, "1773144000001", BODY),
        (SIGNATURE, "1773144000000", "{}"),
    ] {
        let received = receive(signature, timestamp, body);
        assert!(is_forged(&received), "{signature} {timestamp} {body}");
    }
    let unsigned = notices::receive(&Whoop, Method::POST, "", &[], BODY);
    assert!(is_forged(&unsigned));
    let got = notices::receive(&Whoop, Method::GET, "", &[], "");
    assert!(matches!(got, Received::Forged { .. }), "{got:?}");
}

#[tokio::test]
async fn notices_say_what_to_read_or_delete() {
    let (address, url) = Address::start(&Whoop).await;
    let service = Service::start(-8).await;
    let id: Uuid = ID.parse().expect("an id");
    assert_eq!(
        service.simulation.notify(NoticeType::SleepUpdated, id).await,
        None,
        "no URL"
    );
    service.simulation.set_notices_url(Some(url));
    let (sleep, workout) = (&[ResourceName::Sleep], &[ResourceName::Workouts]);
    let deleted = |collection, resources| Change::Deleted {
        collection,
        document: document(resources),
    };
    for (kind, change) in [
        (NoticeType::WorkoutUpdated, updated(&["workouts"], workout)),
        (NoticeType::SleepUpdated, updated(&["cycles"], sleep)),
        (NoticeType::RecoveryUpdated, updated(&["cycles"], sleep)),
        (NoticeType::RecoveryDeleted, updated(&["cycles"], sleep)),
        (NoticeType::WorkoutDeleted, deleted("workouts", workout)),
        (NoticeType::SleepDeleted, deleted("cycles", sleep)),
    ] {
        notices::check_change(&Whoop, &change);
        assert_eq!(service.simulation.notify(kind, id).await, Some(200));
        let provider_user_id = service.simulation.with_data(|data| data.profile.user_id.to_string());
        let notice = Notice {
            provider_user_id,
            change,
        };
        assert_eq!(address.take(), [notice]);
    }
    let other = NoticeType::from("naps.updated");
    assert_eq!(service.simulation.notify(other, id).await, Some(200));
    assert_eq!(address.take(), [], "of an unknown kind");
    let unreadable = receive(EMPTY_SIGNATURE, "1773144000000", "{}");
    let expected = Received::Notices {
        response: NoticeResponse::new(200),
        notices: Vec::new(),
        unreadable: 1,
    };
    assert_eq!(unreadable, expected);
}

#[tokio::test]
async fn the_day_of_a_record_is_looked_up() {
    let service = Service::start(-8).await;
    let session = service.session(SCOPES);
    let (sleep, workout) = service.simulation.with_data(|data| {
        let sleep = data.sleep.last().expect("a sleep").clone();
        (sleep, data.workouts.last().expect("a workout").clone())
    });
    let offset = chrono::FixedOffset::east_opt(-8 * 3_600).expect("an offset");
    let day_of = async |name: &str, id: &str| {
        let mut collections = Whoop.profile().collections.iter();
        let collection = collections.find(|one| one.name == name).expect("a collection");
        Whoop.day_of(&session, collection, id).await
    };
    let day = |time: wearlab_models::DateTime| time.with_timezone(&offset).date_naive();
    assert_eq!(day_of("cycles", &sleep.id.to_string()).await, Ok(Some(day(sleep.end))));
    let started = day(workout.start);
    assert_eq!(day_of("workouts", &workout.id.to_string()).await, Ok(Some(started)));
    assert_eq!(day_of("workouts", ID).await, Ok(None), "it is gone");
    assert_eq!(day_of("workouts", "17").await, Ok(None), "not an id of version 2");
    assert!(day(sleep.end) <= Utc::now().date_naive());
}
