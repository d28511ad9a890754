//! Data of a day: duplicates and events.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_store::Ingested;

use crate::arriving::{USER, arrival, day, in_event, ingest, log, payloads, sample, types, world};
use Ingested::{Duplicate, Taken};

const CREATED: &str = "daily.data.steps.created";
const UPDATED: &str = "daily.data.steps.updated";

#[tokio::test]
async fn a_day_is_created_once_and_updated_when_it_changes() {
    let world = world().await;
    let (first, second, other) = (day("2026-05-01", 1), day("2026-05-01", 2), day("2026-05-02", 1));
    let all = [first.clone(), first.clone(), second.clone(), second, other, first];
    assert_eq!(
        ingest(&world, &all).await,
        [Taken, Duplicate, Taken, Duplicate, Taken, Taken]
    );
    assert_eq!(types(&world).await, [CREATED, UPDATED, CREATED, UPDATED]);
    assert_eq!(
        payloads(&world).await[1],
        json!({
            "event_type": UPDATED, "user_id": Uuid::from_u128(USER), "client_user_id": "client-7",
            "team_id": Uuid::from_u128(1),
            "data": {"data": [in_event(sample(2))], "source": {"provider": "stridewell", "type": "unknown", "app_id": null}},
        })
    );
}

#[tokio::test]
async fn days_are_distinguished_by_provider_and_resource() {
    let world = world().await;
    let more = [
        json!({}),
        json!({"provider": "pulsely"}),
        json!({"resource": "floors_climbed"}),
        json!({"resource": "brand_new-2"}),
    ];
    let arrivals = more.map(|more| arrival("data", more));
    assert_eq!(ingest(&world, &arrivals).await, [Taken; 4]);
    let created = |resource: &str| format!("daily.data.{resource}.created");
    let expected = ["steps", "steps", "floors_climbed", "brand_new-2"].map(created);
    assert_eq!(types(&world).await, expected);
}

/// The day exists, so the second source is an update of it. Neither is new when it is repeated.
#[tokio::test]
async fn two_sources_of_a_day_do_not_take_turns() {
    let world = world().await;
    let of = |source, value| arrival("data", json!({"source": source, "data": [sample(value)]}));
    let watch = of(json!({"type": "watch", "app_id": "an.app"}), 1);
    let phone = of(json!({"type": "phone"}), 2);
    let all = [
        watch.clone(),
        phone.clone(),
        watch,
        phone,
        of(json!({"type": "phone"}), 3),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Duplicate, Duplicate, Taken]);
    assert_eq!(types(&world).await, [CREATED, UPDATED, UPDATED]);
    let sources: Vec<_> = payloads(&world)
        .await
        .iter()
        .map(|event| event["data"]["source"].clone())
        .collect();
    let phone = json!({"provider": "stridewell", "type": "phone", "app_id": null});
    let watch = json!({"provider": "stridewell", "type": "watch", "app_id": "an.app"});
    assert_eq!(sources, [watch, phone.clone(), phone]);
}

/// Events state `unknown` for all of these, so they are one source.
#[tokio::test]
async fn an_unknown_source_is_the_same_however_it_is_named() {
    let world = world().await;
    let of = |source, value| arrival("data", json!({"source": source, "data": [sample(value)]}));
    let unnamed = [
        json!({}),
        json!({"type": "unknown"}),
        json!({"type": " "}),
        json!({"type": ""}),
    ];
    let same = unnamed.clone().map(|source| of(source, 1));
    assert_eq!(ingest(&world, &same).await, [Taken, Duplicate, Duplicate, Duplicate]);
    let app = of(json!({"type": "unknown", "app_id": "an.app"}), 1);
    assert_eq!(
        ingest(&world, &[app, of(unnamed[1].clone(), 2), of(json!({}), 2)]).await,
        [Taken, Taken, Duplicate]
    );
    assert_eq!(types(&world).await, [CREATED, UPDATED, UPDATED]);
}

#[tokio::test]
async fn a_raw_payload_goes_with_its_event() {
    let world = world().await;
    let raw = |n| arrival("data", json!({"raw": {"n": n}}));
    assert_eq!(
        ingest(&world, &[raw(1), raw(1), raw(2)]).await,
        [Taken, Duplicate, Taken]
    );
    assert_eq!(payloads(&world).await[1]["data"]["raw"], json!({"n": 2}));
}

/// Some of these are equal in binary floating point.
#[tokio::test]
async fn numbers_are_distinguished_and_kept_to_the_last_digit() {
    let world = world().await;
    let numbers = ["18446744073709551617", "18446744073709551618", "1e-400", "0", "-2.50"];
    let of = |number: &str, more: &str| -> wearlab_store::ValidArrival {
        let (team, user) = (Uuid::from_u128(1), Uuid::from_u128(USER));
        let line = format!(
            r#"{{"data": {{"team_id": "{team}", "user_id": "{user}", "provider": "stridewell", "resource": "unheard_of",
                "date": "2026-05-01", "data": [{{"value": {number}}}], {more}}}}}"#
        );
        serde_json::from_str(&line).expect("an arrival")
    };
    let raw = |number: &str| of(number, &format!(r#""raw": {{"of": [{number}]}}"#));
    let all: Vec<_> = numbers.iter().map(|number| raw(number)).collect();
    assert_eq!(ingest(&world, &all).await, [Taken; 5]);
    assert_eq!(
        ingest(&world, &[raw("-2.50"), raw("-2.5"), raw("-25e-1")]).await,
        [Duplicate; 3]
    );
    let chunk = of(numbers[0], r#""pull": {"id": "p", "chunk": 1, "chunks": 1}"#);
    assert_eq!(ingest(&world, &[chunk]).await, [Taken]);
    let log = log(&world.store).await;
    let texts: Vec<_> = log
        .iter()
        .map(|event| String::from_utf8_lossy(event.payload.as_bytes()))
        .collect();
    for (text, number) in texts.iter().zip(numbers) {
        assert!(text.contains(&format!(r#""data":[{{"value":{number}}}]"#)), "{text}");
        assert!(text.contains(&format!(r#""raw":{{"of":[{number}]}}"#)), "{text}");
    }
    assert!(
        texts[5].contains(r#""data":[{"value":18446744073709551617}]"#),
        "{}",
        texts[5]
    );
    log.iter().for_each(crate::arriving::assert_sound);
}

#[tokio::test]
async fn members_in_another_order_are_no_news() {
    let world = world().await;
    let of = |text: &str| {
        arrival(
            "data",
            json!({"data": [serde_json::from_str::<Value>(text).expect("JSON")]}),
        )
    };
    let all = [
        of(r#"{"timestamp": "2026-05-01T10:00:00Z", "value": 1, "b": {"c": 2, "d": 3}}"#),
        of(r#"{"b": {"d": 3, "c": 2}, "value": 1, "timestamp": "2026-05-01T10:00:00Z"}"#),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Duplicate]);
}
