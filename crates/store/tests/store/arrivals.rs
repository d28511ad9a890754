//! Arrivals of daily data and of devices: their events and their effects.

use serde_json::json;
use uuid::Uuid;
use wearlab_models::{ResourceAvailabilityStatus, ResourceName};
use wearlab_store::{DeprecatedForms, EventFilter, Ingested, Ingestion, StoreError, Until};

use crate::arriving::{
    ALL_FORMS, AT, NO_FORMS, USER, arrival, at, connections, day, ingest, ingest_with, ingestion, log, payloads,
    sample, try_ingest, types, world,
};
use crate::place::count;
use crate::world::{device, user};
use Ingested::{Duplicate, OutOfBounds, Taken};

const CREATED: &str = "daily.data.steps.created";
const UPDATED: &str = "daily.data.steps.updated";

#[tokio::test]
async fn days_out_of_bounds_are_dropped_until_they_are_wanted() {
    let world = world().await;
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_start = Some("2026-05-02".parse().expect("a date"));
    bounded.ingestion_end = Some("2026-05-03".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    let days: Vec<_> = (1..=4).map(|number| day(&format!("2026-05-0{number}"), 1)).collect();
    assert_eq!(ingest(&world, &days).await, [OutOfBounds, Taken, Taken, OutOfBounds]);
    assert_eq!(types(&world).await, [CREATED, CREATED]);
    world
        .write(|write| write.put_user(world.team, &user(world.team, USER, AT)))
        .await;
    assert_eq!(ingest(&world, &days).await, [Taken, Duplicate, Duplicate, Taken]);
    assert_eq!(
        types(&world).await,
        [CREATED; 4],
        "what was dropped was not there before"
    );
}

#[tokio::test]
async fn an_arrival_with_an_id_is_known_whatever_came_after_it() {
    let world = world().await;
    let of = |id: &str, value| arrival("data", json!({"arrival_id": id, "data": [sample(value)]}));
    let (a, b) = (of("a", 1), of("b", 2));
    let ended = arrival("connection_ended", json!({"provider": "pulsely", "arrival_id": "c"}));
    let again = crate::world::connection("pulsely", "2026-02-01T00:00:00Z");
    let again = arrival("connection_made", json!({"provider": again, "arrival_id": "d"}));
    let all = [a, b, ended, again];
    assert_eq!(ingest(&world, &all).await, [Taken; 4]);
    let before = (types(&world).await, connections(&world, world.team).await);
    assert_eq!(ingest(&world, &all).await, [Duplicate; 4]);
    assert_eq!((types(&world).await, connections(&world, world.team).await), before);
    assert_eq!(before.0, [CREATED, UPDATED, "provider.connection.created"]);

    // Ids of refused and dropped arrivals are not recorded.
    let mut bounded = user(world.team, USER, AT);
    bounded.ingestion_end = Some("2026-04-01".parse().expect("a date"));
    world.write(|write| write.put_user(world.team, &bounded)).await;
    assert_eq!(ingest(&world, &[of("e", 3)]).await, [OutOfBounds]);
    world
        .write(|write| write.put_user(world.team, &user(world.team, USER, AT)))
        .await;
    assert_eq!(ingest(&world, &[of("e", 3)]).await, [Taken]);
}

#[tokio::test]
async fn ids_are_remembered_for_a_week() {
    let world = world().await;
    let on = async |id: u64, now: &str| {
        let arrival = arrival("data", json!({"arrival_id": id.to_string(), "data": [sample(id)]}));
        let ingestion = Ingestion {
            now: at(now),
            ..ingestion(NO_FORMS)
        };
        try_ingest(&world.store, &arrival, &ingestion).await.expect("is taken")
    };
    for id in 0..10 {
        assert_eq!(on(id, "2026-06-01T00:00:00Z").await, Taken);
    }
    assert_eq!(on(3, "2026-06-07T00:00:00Z").await, Duplicate);
    for id in 10..20 {
        assert_eq!(on(id, "2026-06-09T00:00:00Z").await, Taken);
    }
    assert_eq!(on(3, "2026-06-09T00:00:00Z").await, Taken, "is forgotten");
    let kept = count(world.directory.path(), "arrivals").await;
    assert_eq!(kept, 11, "the old ones are gone");
}

#[tokio::test]
async fn data_show_that_a_resource_can_be_had() {
    let world = world().await;
    ingest(
        &world,
        &[
            day("2026-05-01", 1),
            arrival("data", json!({"resource": "sleep_cycle", "data": []})),
        ],
    )
    .await;
    let stridewell = connections(&world, world.team).await.remove(1);
    assert_eq!(stridewell.slug, "stridewell");
    let available: Vec<_> = stridewell.resource_availability.iter().collect();
    assert_eq!(available.len(), 2);
    for (resource, availability) in available {
        assert!([ResourceName::Steps, ResourceName::SleepCycle].contains(resource));
        assert_eq!(availability.status, ResourceAvailabilityStatus::Available);
    }
}

#[tokio::test]
async fn the_details_of_a_source_are_sent_on_request() {
    for (until, has) in [
        ("never", false),
        ("2026-06-01", false),
        ("2026-06-02", true),
        ("always", true),
    ] {
        let world = world().await;
        let forms = DeprecatedForms {
            source_details: until.parse().expect("a time"),
            ..NO_FORMS
        };
        ingest_with(&world, &[day("2026-05-01", 1)], forms).await;
        let mut expected = json!({"provider": "stridewell", "type": "unknown", "app_id": null});
        if has {
            let logo = "https://logos.example/stridewell.svg";
            let details = json!({"name": "The stridewell", "logo": logo, "slug": "stridewell"});
            expected
                .as_object_mut()
                .expect("an object")
                .extend(details.as_object().expect("an object").clone());
        }
        assert_eq!(payloads(&world).await[0]["data"]["source"], expected, "{until}");
    }
    assert!("tomorrow".parse::<Until>().is_err());
}

#[tokio::test]
async fn devices_show_at_once_and_cause_no_event() {
    let world = world().await;
    let seen = |device| arrival("device", json!({ "device": device }));
    let mut newer = device(USER, 0x10);
    newer.device_version = Some("2".to_owned());
    let all = [seen(device(USER, 0x10)), seen(device(USER, 0x10)), seen(newer.clone())];
    assert_eq!(ingest(&world, &all).await, [Taken, Duplicate, Taken]);
    let devices = world.store.team(world.team).devices(Uuid::from_u128(USER)).await;
    assert_eq!(crate::world::all(&devices.expect("reads").expect("the user")), [newer]);
    assert!(log(&world.store).await.is_empty());
}

#[tokio::test]
async fn what_refers_to_nothing_is_refused_and_leaves_nothing() {
    let world = world().await;
    let with = |more| arrival("data", more);
    let nobody = Uuid::from_u128(99);
    let missing = |what| format!("write to the store: there is no such {what}");
    for (arrival, message) in [
        (with(json!({"team_id": nobody})), missing("team")),
        (with(json!({"team_id": world.sister.uuid()})), missing("user")),
        (with(json!({"user_id": nobody})), missing("user")),
        (
            with(json!({"provider": "unknown"})),
            missing("connection between the user and the provider"),
        ),
        (
            arrival("connection_failed", json!({"provider": "unknown", "error_details": {}})),
            missing("connection between the user and the provider"),
        ),
        (arrival("connection_ended", json!({"user_id": nobody})), missing("user")),
        (arrival("device", json!({"device": device(99, 1)})), missing("user")),
    ] {
        let error = try_ingest(&world.store, &arrival, &ingestion(ALL_FORMS))
            .await
            .expect_err("is refused");
        assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
        assert_eq!(error.to_string(), message);
    }
    assert!(log(&world.store).await.is_empty());
    for table in ["days", "pulls", "pull_chunks", "arrivals"] {
        assert_eq!(count(world.directory.path(), table).await, 0, "{table}");
    }
}

/// Numbers define the order. Times are those of the clock.
#[tokio::test]
async fn events_keep_their_order_when_the_clock_goes_backwards() {
    let world = world().await;
    let times = [
        "2026-06-01T12:00:00Z",
        "2020-01-01T00:00:00Z",
        "2031-01-01T00:00:00Z",
        "2026-06-01T12:00:01Z",
    ];
    for (value, now) in (0..).zip(times) {
        let ingestion = Ingestion {
            now: at(now),
            ..ingestion(NO_FORMS)
        };
        try_ingest(&world.store, &day("2026-05-01", value), &ingestion)
            .await
            .expect("is taken");
    }
    let log = log(&world.store).await;
    assert_eq!(
        log.iter().map(|event| event.created_on).collect::<Vec<_>>(),
        times.map(at)
    );
    assert!(log.is_sorted_by_key(|event| event.number));
    assert_eq!(world.store.last_event().await.expect("reads"), log[3].number);
    let after = EventFilter {
        team_id: Some(world.team.uuid()),
        after: log[1].number,
        ..EventFilter::default()
    };
    let page = world.store.events(&after, 1).await.expect("reads");
    assert_eq!((page.len(), page[0].number), (1, log[2].number));
    let other = EventFilter {
        team_id: Some(world.sister.uuid()),
        after: 0,
        ..EventFilter::default()
    };
    assert!(world.store.events(&other, 10).await.expect("reads").is_empty());
    let numbers = |events: Vec<wearlab_store::LoggedEvent>| events.iter().map(|event| event.number).collect::<Vec<_>>();
    let last = world
        .store
        .last_events(&EventFilter::default(), 2)
        .await
        .expect("reads");
    assert_eq!(numbers(last), [log[2].number, log[3].number]);
    let type_of = |prefix: &str| EventFilter {
        user_id: Some(log[0].user_id),
        event_type_prefix: Some(prefix.to_owned()),
        ..EventFilter::default()
    };
    let all = world.store.events(&type_of("daily.data."), 10).await.expect("reads");
    assert_eq!(numbers(all).len(), 4);
    let prefix = format!("{}%", &log[0].event_type[..3]);
    for filter in [
        type_of(&prefix),
        type_of("historical."),
        EventFilter {
            user_id: Some(world.team.uuid()),
            ..EventFilter::default()
        },
    ] {
        assert!(
            world.store.events(&filter, 10).await.expect("reads").is_empty(),
            "{filter:?}"
        );
    }
    let found = world
        .store
        .event(&log[2].event_id)
        .await
        .expect("reads")
        .expect("the event");
    assert_eq!(found.number, log[2].number);
    assert!(world.store.event("evt_none").await.expect("reads").is_none());
}
