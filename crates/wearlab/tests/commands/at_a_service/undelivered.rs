//! Listings of undelivered events, from a local store and from a service.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use tokio::runtime::Builder;
use uuid::Uuid;
use wearlab_store::{
    Advance, DeprecatedForms, EventFilter, Ingestion, Progress, Reachability, Store, StoreError, WebhookEndpoint,
};

use super::compare_on;
use crate::fixture::{Fixture, TEAM, USER};

/// Due time of waiting events: later than tests run.
const DUE: TimeDelta = TimeDelta::days(365);

/// Failed deliveries at destinations in each state. None of them changes while a service runs.
fn fail(fixture: &Fixture) {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(failing(&Store::open(&fixture.data()).expect("opens")));
}

async fn failing(store: &Store) {
    let now = Utc::now();
    let team_id: Uuid = TEAM.parse().expect("an id");
    let hook = |id: &str, disabled: Option<&str>| WebhookEndpoint {
        webhook_id: id.to_owned(),
        team_id,
        // The settings do not allow this URL.
        url: "http://127.0.0.1:9/hush4711".to_owned(),
        event_type_prefixes: Vec::new(),
        secrets: Vec::new(),
        created_on: now,
        disabled: disabled.map(str::to_owned),
    };
    let written = store.write(|write| {
        let team = write.team(team_id)?.ok_or(StoreError::Missing { what: "team" })?;
        let ingestion = Ingestion {
            // The minutes of an age are the same for as long as the test runs.
            now: now - TimeDelta::minutes(5 * 60 + 30) - TimeDelta::seconds(10),
            fresh_id: Uuid::now_v7,
            forms: DeprecatedForms::default(),
        };
        let mut pipeline = write.pipeline(team)?.expect("the world has one");
        pipeline.preferences.enabled.push(wearlab_models::DeliveryKind::Svix);
        write.put_pipeline(team, &pipeline)?;
        for (id, disabled) in [("unusable-1", None), ("disabled-1", Some("responded 410"))] {
            write.put_webhook(&hook(id, disabled))?;
        }
        let destinations = [
            write.destination(team, "rabbitmq", None)?,
            write.destination(team, "cloud_pubsub", None)?,
            write.destination(team, "webhook", Some("unusable-1"))?,
            write.destination(team, "webhook", Some("disabled-1"))?,
        ];
        for _ in 0..3 {
            write.log(team, USER.parse().expect("an id"), &ingestion, |envelope| {
                let event = wearlab_service::trigger::event("daily.data.steps.created", envelope, ingestion.now);
                event.map_err(|_| StoreError::Document { what: "event" })
            })?;
        }
        Ok(destinations)
    });
    let destinations = written.await.expect("writes");
    let events = store.last_events(&EventFilter::default(), 3).await.expect("reads");
    let numbers: Vec<_> = events.iter().map(|event| event.number).collect();
    let advanced = store.write(|write| {
        for (at, destination) in destinations.into_iter().enumerate() {
            let down = Reachability::Down {
                reason: "no connection".to_owned(),
                next_attempt: now + DUE,
            };
            let advance = Advance {
                results: results(&numbers, now),
                cursor: numbers[2],
                reachability: (at == 0).then_some(down),
                ..Advance::default()
            };
            write.advance(destination, &advance, now)?;
        }
        Ok(())
    });
    advanced.await.expect("writes");
}

fn results(numbers: &[i64], now: DateTime<Utc>) -> Vec<(i64, Progress)> {
    let reason = "responded 503".to_owned();
    let waiting = Progress::Waiting {
        attempts: 2,
        due: now + DUE,
        reason: reason.clone(),
    };
    let parked = Progress::Parked { attempts: 8, reason };
    vec![
        (numbers[0], waiting),
        (numbers[1], Progress::Held),
        (numbers[2], parked),
    ]
}

/// Parses rows of JSON, without their times.
fn rows(text: &str) -> Vec<Value> {
    let rows = text.lines().map(|line| {
        let mut row: Value = serde_json::from_str(line).expect("JSON");
        let age = row.as_object_mut().and_then(|row| row.remove("oldest_seconds"));
        assert!(age.is_none_or(|age| age.as_i64() >= Some(5 * 60 * 60)), "{row}");
        row
    });
    rows.collect()
}

#[test]
fn what_destinations_do_not_have_is_listed() {
    compare_on(fail, true, |place, said| {
        let table = place.run(said, &["events", "undelivered"]);
        assert!(!table.contains("hush4711"), "{table}");
        place.run(said, &["events", "undelivered", "--limit", "4", "--team", TEAM]);
        let listed = rows(&place.run(&mut Vec::new(), &["events", "undelivered", "--json"]));
        let of = |row: &str, of: &str| -> Vec<Value> {
            let rows = listed.iter().filter(|found| found["row"] == row);
            let rows = rows.filter(|found| found["webhook_id"] == of || found["kind"] == of);
            rows.cloned().collect()
        };
        for (destination, state, events, reason) in [
            ("rabbitmq", "down", ["waiting", "held", "parked"], "no connection"),
            (
                "cloud_pubsub",
                "not_enabled",
                ["not enabled", "not enabled", "parked"],
                "does not enable this kind",
            ),
            (
                "unusable-1",
                "unusable",
                ["unusable", "unusable", "parked"],
                "webhook: ",
            ),
            (
                "disabled-1",
                "disabled",
                ["disabled", "disabled", "parked"],
                "responded 410",
            ),
        ] {
            let states: Vec<_> = of("event", destination)
                .iter()
                .map(|row| row["state"].clone())
                .collect();
            assert_eq!(states, events, "{destination}");
            let row = &of("destination", destination)[0];
            assert_eq!(
                (&row["state"], &row["backlog"], &row["parked"]),
                (&state.into(), &2.into(), &1.into())
            );
            assert_eq!(row["next_attempt"].is_string(), state == "down", "{row}");
            assert!(row["oldest"].is_string(), "{row}");
            assert!(
                row["reason"].as_str().is_some_and(|said| said.contains(reason)),
                "{row}"
            );
        }
    });
}
