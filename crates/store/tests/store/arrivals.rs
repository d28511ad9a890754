//! Arrivals of daily data, and of devices: which events they cause, and what they change.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::{ResourceAvailabilityStatus, ResourceName};
use wearlab_store::{DeprecatedForms, EventFilter, Ingested, Ingestion, StoreError, Until};

use crate::arriving::{
    ALL_FORMS, AT, NO_FORMS, USER, arrival, at, connections, cycle, day, ingest, ingest_with, ingestion, log, payloads,
    stage, try_ingest, types, world,
};
use crate::place::count;
use crate::world::{device, user};
use Ingested::{Known, OutOfBounds, Taken};

const CREATED: &str = "daily.data.steps.created";
const UPDATED: &str = "daily.data.steps.updated";

#[tokio::test]
async fn a_day_is_created_once_and_updated_when_it_changes() {
    let world = world().await;
    let (first, second, other) = (day("2026-05-01", 1), day("2026-05-01", 2), day("2026-05-02", 1));
    let all = [first.clone(), first.clone(), second.clone(), second, other, first];
    assert_eq!(ingest(&world, &all).await, [Taken, Known, Taken, Known, Taken, Taken]);
    assert_eq!(types(&world).await, [CREATED, UPDATED, CREATED, UPDATED]);
    assert_eq!(
        payloads(&world).await[1],
        json!({
            "event_type": UPDATED, "user_id": Uuid::from_u128(USER), "client_user_id": "client-7",
            "team_id": Uuid::from_u128(1),
            "data": {"data": [{"value": 2}], "source": {"provider": "stridewell", "type": "unknown", "app_id": null}},
        })
    );
}

#[tokio::test]
async fn days_are_told_apart_by_provider_and_resource() {
    let world = world().await;
    let more = [
        json!({}),
        json!({"provider": "pulsely"}),
        json!({"resource": "heartrate"}),
        json!({"resource": "brand_new-2"}),
    ];
    let arrivals = more.map(|more| arrival("data", more));
    assert_eq!(ingest(&world, &arrivals).await, [Taken; 4]);
    let created = |resource: &str| format!("daily.data.{resource}.created");
    let expected = ["steps", "steps", "heartrate", "brand_new-2"].map(created);
    assert_eq!(types(&world).await, expected);
}

/// The day was there before, so the second source is an update of it. It is no news when either comes again.
#[tokio::test]
async fn two_sources_of_a_day_do_not_take_turns() {
    let world = world().await;
    let of = |source, value| arrival("data", json!({"source": source, "data": [{"value": value}]}));
    let watch = of(json!({"type": "watch", "app_id": "an.app"}), 1);
    let phone = of(json!({"type": "phone"}), 2);
    let all = [
        watch.clone(),
        phone.clone(),
        watch,
        phone,
        of(json!({"type": "phone"}), 3),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Known, Known, Taken]);
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

/// Events state `unknown` for all of these, so that they are of one source.
#[tokio::test]
async fn an_unknown_source_is_the_same_however_it_is_named() {
    let world = world().await;
    let of = |source, value| arrival("data", json!({"source": source, "data": [{"value": value}]}));
    let unnamed = [
        json!({}),
        json!({"type": "unknown"}),
        json!({"type": " "}),
        json!({"type": ""}),
    ];
    let same = unnamed.clone().map(|source| of(source, 1));
    assert_eq!(ingest(&world, &same).await, [Taken, Known, Known, Known]);
    let app = of(json!({"type": "unknown", "app_id": "an.app"}), 1);
    assert_eq!(
        ingest(&world, &[app, of(unnamed[1].clone(), 2), of(json!({}), 2)]).await,
        [Taken, Taken, Known]
    );
    assert_eq!(types(&world).await, [CREATED, UPDATED, UPDATED]);
}

#[tokio::test]
async fn a_raw_payload_goes_with_its_event() {
    let world = world().await;
    let raw = |n| arrival("data", json!({"raw": {"n": n}}));
    assert_eq!(ingest(&world, &[raw(1), raw(1), raw(2)]).await, [Taken, Known, Taken]);
    assert_eq!(payloads(&world).await[1]["data"]["raw"], json!({"n": 2}));
}

/// As binary floating point, some of them are the same number.
#[tokio::test]
async fn numbers_are_told_apart_and_kept_to_the_last_digit() {
    let world = world().await;
    let numbers = ["18446744073709551617", "18446744073709551618", "1e-400", "0", "-2.50"];
    let of = |number: &str, more: &str| -> wearlab_store::Arrival {
        let (team, user) = (Uuid::from_u128(1), Uuid::from_u128(USER));
        let line = format!(
            r#"{{"data": {{"team_id": "{team}", "user_id": "{user}", "provider": "stridewell", "resource": "steps",
                "date": "2026-05-01", "data": [{{"value": {number}}}], {more}}}}}"#
        );
        serde_json::from_str(&line).expect("an arrival")
    };
    let raw = |number: &str| of(number, &format!(r#""raw": {{"of": [{number}]}}"#));
    let all: Vec<_> = numbers.iter().map(|number| raw(number)).collect();
    assert_eq!(ingest(&world, &all).await, [Taken; 5]);
    assert_eq!(
        ingest(&world, &[raw("-2.50"), raw("-2.5"), raw("-25e-1")]).await,
        [Known; 3]
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
        of(r#"{"a": 1, "b": {"c": 2, "d": 3}}"#),
        of(r#"{"b": {"d": 3, "c": 2}, "a": 1}"#),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Known]);
}

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
    assert_eq!(ingest(&world, &days).await, [Taken, Known, Known, Taken]);
    assert_eq!(
        types(&world).await,
        [CREATED; 4],
        "what was dropped was not there before"
    );
}

#[tokio::test]
async fn an_arrival_with_an_id_is_known_whatever_came_after_it() {
    let world = world().await;
    let of = |id: &str, value| arrival("data", json!({"arrival_id": id, "data": [{"value": value}]}));
    let (a, b) = (of("a", 1), of("b", 2));
    let ended = arrival("connection_ended", json!({"provider": "pulsely", "arrival_id": "c"}));
    let again = crate::world::connection("pulsely", "2026-02-01T00:00:00Z");
    let again = arrival("connection_made", json!({"provider": again, "arrival_id": "d"}));
    let all = [a, b, ended, again];
    assert_eq!(ingest(&world, &all).await, [Taken; 4]);
    let before = (types(&world).await, connections(&world, world.team).await);
    assert_eq!(ingest(&world, &all).await, [Known; 4]);
    assert_eq!((types(&world).await, connections(&world, world.team).await), before);
    assert_eq!(before.0, [CREATED, UPDATED, "provider.connection.created"]);

    // What is refused or dropped is not remembered.
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
    let on = async |id: usize, now: &str| {
        let arrival = arrival("data", json!({"arrival_id": id.to_string(), "data": [{"value": id}]}));
        let ingestion = Ingestion {
            now: at(now),
            ..ingestion(NO_FORMS)
        };
        try_ingest(&world.store, &arrival, &ingestion).await.expect("is taken")
    };
    for id in 0..10 {
        assert_eq!(on(id, "2026-06-01T00:00:00Z").await, Taken);
    }
    assert_eq!(on(3, "2026-06-07T00:00:00Z").await, Known);
    for id in 10..20 {
        assert_eq!(on(id, "2026-06-09T00:00:00Z").await, Taken);
    }
    assert_eq!(on(3, "2026-06-09T00:00:00Z").await, Taken, "is forgotten");
    let kept = count(world.folder.path(), "arrivals").await;
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
async fn sleep_cycles_carry_their_hypnogram_and_the_older_event_is_sent_on_request() {
    let sleep = arrival(
        "data",
        json!({"resource": "sleep_cycle", "data": [cycle("s1"), cycle("s2")]}),
    );
    let later = arrival("data", json!({"resource": "sleep_cycle", "data": [cycle("s1")]}));
    let (cycles, older) = ("daily.data.sleep_cycle", "daily.timeseries.hypnogram");
    for (forms, kinds) in [(NO_FORMS, &[cycles][..]), (ALL_FORMS, &[cycles, older])] {
        let world = world().await;
        ingest_with(&world, &[sleep.clone(), later.clone()], forms).await;
        let verbs = ["created", "updated"];
        let expected = verbs
            .iter()
            .flat_map(|verb| kinds.iter().map(move |kind| format!("{kind}.{verb}")));
        let expected: Vec<_> = expected.collect();
        assert_eq!(types(&world).await, expected);
        let payloads = payloads(&world).await;
        assert_eq!(payloads[0]["data"]["data"][1]["hypnogram"][1]["stage"], "deep");
        assert_eq!(
            payloads[0]["data"]["data"][1]["score"], 81,
            "what the document does not name is kept"
        );
        if kinds.len() > 1 {
            assert_eq!(
                payloads[1]["data"]["data"].as_array().map(Vec::len),
                Some(4),
                "stages of both cycles"
            );
        }
    }
}

#[tokio::test]
async fn hypnograms_are_sent_on_request_alone() {
    let hypnogram = arrival(
        "data",
        json!({"resource": "hypnogram", "data": [stage("22:00", "rem")]}),
    );
    let chunk = arrival(
        "data",
        json!({"resource": "hypnogram", "data": [stage("22:00", "rem")], "pull": {"id": "p", "chunk": 1, "chunks": 1}}),
    );
    let world = world().await;
    assert_eq!(
        ingest_with(&world, &[hypnogram.clone(), hypnogram.clone()], ALL_FORMS).await,
        [Taken, Known]
    );
    assert_eq!(types(&world).await, ["daily.timeseries.hypnogram.created"]);

    // Taken, it would cause nothing.
    let world = crate::arriving::world().await;
    for arrival in [hypnogram, chunk] {
        let refused = try_ingest(&world.store, &arrival, &ingestion(NO_FORMS)).await;
        let said = refused.expect_err("is refused").to_string();
        assert!(
            said.contains("send sleep_cycle values") && said.contains("events.deprecated.hypnogram_events"),
            "{said}"
        );
    }
    for table in ["days", "pulls", "events"] {
        assert_eq!(count(world.folder.path(), table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn devices_show_at_once_and_cause_no_event() {
    let world = world().await;
    let seen = |device| arrival("device", json!({ "device": device }));
    let mut newer = device(USER, 0x10);
    newer.device_version = Some("2".to_owned());
    let all = [seen(device(USER, 0x10)), seen(device(USER, 0x10)), seen(newer.clone())];
    assert_eq!(ingest(&world, &all).await, [Taken, Known, Taken]);
    let devices = world.store.team(world.team).devices(Uuid::from_u128(USER)).await;
    assert_eq!(crate::world::all(&devices.expect("reads").expect("the user")), [newer]);
    assert!(log(&world.store).await.is_empty());
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let world = world().await;
    let with = |more| arrival("data", more);
    let nobody = Uuid::from_u128(99);
    let missing = |what| format!("write to the store: there is no such {what}");
    let wrong = |what| format!("write to the store: {what}");
    let pull = |chunk, chunks| json!({"id": "p", "chunk": chunk, "chunks": chunks});
    let resource = wrong("the resource is no name of letters, digits, _ and -");
    let number = wrong("the number of the chunk is not from 1 to that of the chunks");
    for (arrival, said) in [
        (with(json!({"team_id": nobody})), missing("team")),
        (with(json!({"team_id": world.sister.uuid()})), missing("user")),
        (with(json!({"user_id": nobody})), missing("user")),
        (
            with(json!({"provider": "unknown"})),
            missing("connection between the user and the provider"),
        ),
        (with(json!({"resource": ""})), resource.clone()),
        (with(json!({"resource": "a.b"})), resource.clone()),
        (with(json!({"resource": "#"})), resource),
        (with(json!({"arrival_id": " "})), wrong("the arrival_id is empty")),
        (
            with(json!({"resource": "sleep_cycle"})),
            wrong("the values are not sleep cycles"),
        ),
        (
            with(json!({"resource": "hypnogram"})),
            wrong("the values are not stages of a hypnogram"),
        ),
        (with(json!({"pull": pull(0, 3)})), number.clone()),
        (with(json!({"pull": pull(4, 3)})), number.clone()),
        (with(json!({"pull": pull(0, 0)})), number),
        (
            with(json!({"pull": {"id": "", "chunk": 1, "chunks": 1}})),
            wrong("the id of the pull is empty"),
        ),
        (
            with(json!({"pull": pull(1, 1), "raw": {"a": 1}})),
            wrong("a historical pull carries no raw payload"),
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
        assert!(
            matches!(error, StoreError::Missing { .. } | StoreError::Conflict { .. }),
            "{error:?}"
        );
        assert_eq!(error.to_string(), said);
    }
    assert!(log(&world.store).await.is_empty());
    for table in ["days", "pulls", "pull_chunks", "arrivals"] {
        assert_eq!(count(world.folder.path(), table).await, 0, "{table}");
    }
}

/// Numbers give the order; times are what the clock said.
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
