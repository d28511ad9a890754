//! Identity of summaries: several of a day, nights that move, and ids shared by resources.

use serde_json::{Value, json};
use uuid::Uuid;
use wearlab_models::ResourceName;
use wearlab_store::{Ingested, Record, StoreError, TeamId, ValidArrival};

use crate::arriving::{AT, NO_FORMS, USER, arrival, cycle, ingest, ingestion, payloads, try_ingest, types, world};
use crate::repeats::summaries;
use crate::world::{World, connection, user};
use Ingested::{Duplicate, Taken};

fn of(resource: &str, data: &[Value]) -> ValidArrival {
    arrival(
        "data",
        json!({"resource": resource, "date": "2026-05-02", "data": data}),
    )
}

fn night(start: &str, stop: &str) -> Value {
    json!({"bedtime_start": start, "bedtime_stop": stop, "type": "long_sleep", "duration": 1, "total": 1, "awake": 1,
        "light": 1, "rem": 1, "deep": 1})
}

fn workout(id: Uuid, start: &str, end: &str) -> Value {
    json!({"id": id, "time_start": start, "time_end": end, "provider_id": "w"})
}

fn heartbeat(start: &str, end: &str) -> Value {
    json!({"session_start": start, "session_end": end, "voltage_sample_count": 1})
}

async fn refused(world: &World, arrival: &ValidArrival) -> (String, String) {
    match try_ingest(&world.store, arrival, &ingestion(NO_FORMS)).await {
        Err(StoreError::Refused { field, reason }) => (field.into_owned(), reason),
        other => panic!("{other:?}"),
    }
}

fn members(values: &[Value], name: &str) -> Vec<Value> {
    values.iter().map(|value| value[name].clone()).collect()
}

#[tokio::test]
async fn activities_of_a_day_are_kept_where_their_times_or_ids_tell_them_apart() {
    let world = world().await;
    let cycle = |start: &str, end: Option<&str>, strain: u64| json!({"start": start, "end": end, "steps": strain});
    let first = cycle("2026-05-01T22:00:00Z", Some("2026-05-02T14:00:00Z"), 1);
    let second = cycle("2026-05-02T14:00:00Z", None, 2);
    let longer = cycle("2026-05-02T14:00:00Z", Some("2026-05-02T21:00:00Z"), 3);
    // In one line, in two, corrected, and repeated in another order.
    let all = [
        of("activity", &[first.clone(), second.clone()]),
        of("activity", std::slice::from_ref(&longer)),
        of("activity", &[longer.clone(), first.clone()]),
        of("activity", &[longer.clone(), first.clone()]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Duplicate, Duplicate]);
    let found = summaries(&world, "activity").await;
    assert_eq!(members(&found, "steps"), [1, 3]);
    let events = payloads(&world).await;
    assert_eq!(
        events[0]["data"]["data"][1]["id"], events[1]["data"]["data"][0]["id"],
        "it grew"
    );
    let by_id = |id: &str, steps: u64| json!({"provider_id": id, "steps": steps});
    let body = of("body", &[by_id("a", 1), by_id("b", 2)]);
    let corrected = of("body", &[by_id("b", 4)]);
    assert_eq!(ingest(&world, &[body, corrected]).await, [Taken, Taken]);
    let mut steps = members(&summaries(&world, "body").await, "steps");
    steps.sort_by_key(Value::as_u64);
    assert_eq!(steps, [1, 4]);
}

#[tokio::test]
async fn an_activity_never_takes_the_id_of_another_one() {
    let world = world().await;
    let part = |start: &str, end: &str, steps: u64| {
        let [start, end] = [start, end].map(|hour| format!("2026-05-02T{hour}:00:00Z"));
        of("activity", &[json!({"start": start, "end": end, "steps": steps})])
    };
    // The second one moves, and then a new one has its first times.
    let all = [
        part("00", "08", 1),
        part("10", "12", 2),
        part("10", "14", 3),
        part("13", "15", 4),
        part("10", "12", 5),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 5]);
    assert_eq!(members(&summaries(&world, "activity").await, "steps"), [1, 5, 4]);
}

#[tokio::test]
async fn activities_whose_ends_never_came_are_told_apart_by_their_starts() {
    let world = world().await;
    let cycle = |hour: &str, steps: u64| {
        let start = format!("2026-05-02T{hour}:00:00Z");
        of("activity", &[json!({"start": start, "steps": steps})])
    };
    let all = [cycle("04", 1), cycle("22", 2), cycle("04", 3)];
    assert_eq!(ingest(&world, &all).await, [Taken; 3]);
    assert_eq!(members(&summaries(&world, "activity").await, "steps"), [3, 2]);
}

#[tokio::test]
async fn an_activity_of_a_provider_id_is_one_whatever_day_it_moves_to() {
    let world = world().await;
    let of_day =
        |date: &str, values: Value| arrival("data", json!({"resource": "activity", "date": date, "data": values}));
    let of_id = |id: &str, steps: u64| json!({"provider_id": id, "steps": steps});
    let all = [
        of_day("2026-05-01", json!([of_id("a", 1), of_id("b", 2)])),
        of_day("2026-05-02", json!([of_id("a", 3)])),
        of_day("2026-05-02", json!([of_id("b", 4)])),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 3]);
    let found = summaries(&world, "activity").await;
    assert_eq!(members(&found, "steps"), [3, 4]);
    assert_eq!(members(&found, "calendar_date"), ["2026-05-02", "2026-05-02"]);
}

#[tokio::test]
async fn a_day_without_times_is_corrected_by_the_next_line() {
    let world = world().await;
    let all = [
        of("activity", &[json!({"steps": 1})]),
        of("activity", &[json!({"steps": 2})]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken]);
    assert_eq!(members(&summaries(&world, "activity").await, "steps"), [2]);
}

#[tokio::test]
async fn what_nothing_tells_apart_in_a_line_is_refused() {
    let world = world().await;
    let at = ["2026-05-02T08:00:00Z", "2026-05-02T09:00:00Z", "2026-05-02T10:00:00Z"];
    for (arrival, field, part) in [
        (
            of("activity", &[json!({"steps": 1}), json!({"steps": 2})]),
            "data[1]",
            "same day as data[0]",
        ),
        (
            of("body", &[json!({"weight": 71}), json!({"weight": 72})]),
            "data[1]",
            "same day",
        ),
        (
            of("sleep", &[night(at[0], at[2]), night(at[1], at[2])]),
            "data[1]",
            "overlaps data[0]",
        ),
        (
            of("electrocardiogram", &[heartbeat(at[0], at[1]), heartbeat(at[0], at[2])]),
            "data[1]",
            "begins when data[0] does",
        ),
    ] {
        let (found, reason) = refused(&world, &arrival).await;
        assert_eq!(found, field);
        assert!(reason.contains(part) && reason.contains("provider_id"), "{reason}");
    }
    // Equal values are one summary. Of several with one id, the last counts.
    let id = Uuid::from_u128(9);
    let same = of("activity", &[json!({"steps": 1}), json!({"steps": 1})]);
    let corrected = of("workouts", &[workout(id, at[0], at[1]), workout(id, at[0], at[2])]);
    assert_eq!(ingest(&world, &[same, corrected]).await, [Taken, Taken]);
    assert_eq!(members(&summaries(&world, "workouts").await, "time_end"), [at[2]]);
    for payload in payloads(&world).await {
        assert_eq!(payload["data"]["data"].as_array().map(Vec::len), Some(1));
    }
}

#[tokio::test]
async fn a_night_that_moves_replaces_the_one_that_it_overlaps() {
    let world = world().await;
    let (stop, sleep) = ("2026-05-02T06:00:00Z", "sleep");
    let first = of(sleep, &[night("2026-05-01T22:00:00Z", stop)]);
    let moved = of(sleep, &[night("2026-05-01T22:10:00Z", stop)]);
    let nap = of(sleep, &[night("2026-05-02T13:00:00Z", "2026-05-02T14:00:00Z")]);
    assert_eq!(
        ingest(&world, &[first, moved.clone(), nap, moved]).await,
        [Taken, Taken, Taken, Duplicate]
    );
    let found = summaries(&world, sleep).await;
    let starts = ["2026-05-01T22:10:00Z", "2026-05-02T13:00:00Z"];
    assert_eq!(members(&found, "bedtime_start"), starts);
    let events = payloads(&world).await;
    assert_eq!(
        members(&events, "event_type")[..2],
        ["daily.data.sleep.created", "daily.data.sleep.updated"]
    );
    assert_eq!(events[0]["data"]["data"][0]["id"], events[1]["data"]["data"][0]["id"]);
    // Its cycle moves with it, and keeps referring to the sleep.
    let session = |start: &str| {
        let mut session = cycle(1);
        let members = session.as_object_mut().expect("an object");
        members.retain(|name, _| !["id", "sleep_id"].contains(&&**name));
        members.insert("session_start".to_owned(), json!(start));
        session
    };
    let cycles = ["2026-05-01T22:00:00Z", "2026-05-01T22:10:00Z"].map(|start| of("sleep_cycle", &[session(start)]));
    assert_eq!(ingest(&world, &cycles).await, [Taken, Taken]);
    assert_eq!(
        members(&summaries(&world, "sleep_cycle").await, "sleep_id"),
        [found[0]["id"].clone()]
    );
}

#[tokio::test]
async fn a_night_that_replaces_several_says_so() {
    let world = world().await;
    let parts = [
        night("2026-05-01T22:00:00Z", "2026-05-02T01:00:00Z"),
        night("2026-05-02T01:30:00Z", "2026-05-02T06:00:00Z"),
    ];
    let whole = night("2026-05-01T22:00:00Z", "2026-05-02T06:00:00Z");
    let with_id = {
        let mut other = night("2026-05-01T23:00:00Z", "2026-05-02T02:00:00Z");
        other["id"] = json!(Uuid::from_u128(4));
        other
    };
    let all = [of("sleep", &parts), of("sleep", &[with_id]), of("sleep", &[whole])];
    assert_eq!(ingest(&world, &all).await, [Taken, Taken, Taken]);
    let names = ["created", "updated", "deleted", "updated"].map(|verb| format!("daily.data.sleep.{verb}"));
    assert_eq!(types(&world).await, names);
    let found = summaries(&world, "sleep").await;
    assert_eq!(
        members(&found, "bedtime_start"),
        ["2026-05-01T22:00:00Z", "2026-05-01T23:00:00Z"]
    );
    let events = payloads(&world).await;
    let before = &events[0]["data"]["data"];
    assert_eq!(events[2]["data"]["data"], json!([{"id": before[0]["id"]}]));
    assert_eq!(found[0]["id"], before[1]["id"], "the one that it overlaps longest");
}

#[tokio::test]
async fn a_summary_that_ends_before_it_begins_is_refused() {
    let world = world().await;
    let [early, late] = ["2026-05-02T08:00:00Z", "2026-05-02T09:00:00Z"];
    let mut session = cycle(1);
    session["session_start"] = json!("2026-05-03T00:00:00Z");
    session["hypnogram"] = json!([]);
    let cycle_of = |start: &str, end: &str| json!({"period_start": start, "cycle_end": end});
    for (resource, value, field, start) in [
        ("sleep", night(late, early), "bedtime_stop", "bedtime_start"),
        // Only in the time zone of the user.
        (
            "sleep",
            night("2026-05-02T10:30:00", early),
            "bedtime_stop",
            "bedtime_start",
        ),
        (
            "workouts",
            workout(Uuid::from_u128(1), late, early),
            "time_end",
            "time_start",
        ),
        (
            "electrocardiogram",
            heartbeat(late, early),
            "session_end",
            "session_start",
        ),
        ("sleep_cycle", session, "session_end", "session_start"),
        ("activity", json!({"start": late, "end": early}), "end", "start"),
        (
            "menstrual_cycle",
            cycle_of("2026-05-02", "2026-05-01"),
            "cycle_end",
            "period_start",
        ),
    ] {
        let (found, reason) = refused(&world, &of(resource, &[value])).await;
        assert_eq!(
            (&*found, &*reason),
            (&*format!("data[0].{field}"), &*format!("must not be before {start}"))
        );
        assert!(summaries(&world, resource).await.is_empty(), "{resource}");
    }
    // Earlier versions accepted them, and their exports have them.
    let stored = json!({"values": {"team_id": world.team.uuid(), "user_id": Uuid::from_u128(USER), "provider": "stridewell",
        "resource": "sleep", "date": "2026-05-02", "data": [night(late, early)]}});
    let record: Record = serde_json::from_value(stored).expect("a record");
    world.write(|write| write.put(&record)).await;
    assert_eq!(summaries(&world, "sleep").await.len(), 1);
}

/// Senders may give one id to several users, so the owner of the session is ambiguous.
#[tokio::test]
async fn an_id_that_several_users_have_is_that_of_several_sessions() {
    let world = world().await;
    let (id, other) = (Uuid::from_u128(7), 8);
    world
        .write(|write| {
            write.put_user(world.team, &user(world.team, other, AT))?;
            write.put_connection(world.team, Uuid::from_u128(other), &connection("stridewell", AT))?;
            // This user has no data in the team.
            write.put_user(world.sister, &user(world.sister, 9, AT))?;
            write.put_connection(world.sister, Uuid::from_u128(9), &connection("stridewell", AT))
        })
        .await;
    let team = world.store.team(world.team);
    let times = ["2026-05-02T08:00:00Z", "2026-05-02T09:00:00Z"];
    let of = |team: TeamId, user: u128| {
        let data = json!([workout(id, times[0], times[1])]);
        let user = Uuid::from_u128(user);
        arrival(
            "data",
            json!({"team_id": team.uuid(), "user_id": user, "resource": "workouts", "data": data}),
        )
    };
    let mut found = Vec::new();
    for arrival in [of(world.sister, 9), of(world.team, USER), of(world.team, other)] {
        assert_eq!(ingest(&world, &[arrival]).await, [Taken]);
        let sessions = team.sessions(&ResourceName::Workouts, id).await.expect("reads");
        found.push(
            sessions
                .iter()
                .map(|session| session.user_id.as_u128())
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(found, [vec![], vec![USER], vec![USER, other]]);
}

#[tokio::test]
async fn an_id_is_that_of_one_summary_of_each_resource_and_of_one_provider() {
    let world = world().await;
    let id = Uuid::from_u128(7);
    let mut sleep = night("2026-05-01T22:00:00Z", "2026-05-02T06:00:00Z");
    sleep["id"] = json!(id);
    let mut session = cycle(7);
    session["id"] = json!(id);
    let times = ["2026-05-02T08:00:00Z", "2026-05-02T09:00:00Z"];
    let all = [
        of("sleep", &[sleep.clone()]),
        of("sleep_cycle", &[session]),
        of("workouts", &[workout(id, times[0], times[1])]),
    ];
    assert_eq!(ingest(&world, &all).await, [Taken; 3]);
    for resource in ["sleep", "sleep_cycle", "workouts"] {
        assert_eq!(
            members(&summaries(&world, resource).await, "id"),
            [json!(id)],
            "{resource}"
        );
    }
    let team = world.store.team(world.team);
    let mut starts = Vec::new();
    for resource in ["sleep", "workouts"] {
        let sessions = team.sessions(&ResourceName::from(resource), id).await.expect("reads");
        let [session] = sessions.as_slice() else {
            panic!("{} sessions", sessions.len())
        };
        starts.push(session.start / 1_000_000);
    }
    let expected = ["2026-05-01T22:00:00Z", times[0]].map(|time| crate::arriving::at(time).timestamp());
    assert_eq!(starts, expected);
    let other = arrival(
        "data",
        json!({"resource": "sleep", "provider": "pulsely", "date": "2026-05-02", "data": [sleep]}),
    );
    let (field, reason) = refused(&world, &other).await;
    assert_eq!(field, "data[0].id");
    assert!(reason.contains("another provider"), "{reason}");
    let deletion = json!({"provider": "stridewell", "resource": "workouts", "id": id});
    assert_eq!(ingest(&world, &[arrival("data_deleted", deletion)]).await, [Taken]);
    assert_eq!(summaries(&world, "workouts").await.len(), 0);
    assert_eq!(summaries(&world, "sleep").await.len(), 1);
}

#[tokio::test]
async fn ids_have_one_form_whichever_they_came_in() {
    let world = world().await;
    let id = "018f3c52-aaaa-7000-8000-00000000000b";
    for text in [
        format!("urn:uuid:{id}"),
        format!("{{{id}}}"),
        id.replace('-', ""),
        id.to_uppercase(),
    ] {
        let mut session = cycle(1);
        session["id"] = json!(text);
        session["sleep_id"] = json!(text);
        ingest(&world, &[of("sleep_cycle", &[session])]).await;
        let found = summaries(&world, "sleep_cycle").await;
        assert_eq!(members(&found, "id"), [id], "{text}");
        assert_eq!(members(&found, "sleep_id"), [id], "{text}");
        let event = payloads(&world).await.pop().expect("an event");
        assert_eq!(event["data"]["data"][0]["id"], id, "{text}");
    }
}
