//! Tests of values that are already stored, unchanged or with other content.

use serde_json::{Value, json};
use uuid::Uuid;

use super::super::Stored;
use super::memory::Memory;
use super::{arrival, complete, shown};
use crate::ExactObject;

fn night(start: &str, stop: &str) -> Value {
    json!({"bedtime_start": start, "bedtime_stop": stop, "type": "long_sleep", "duration": 1, "total": 1, "awake": 1,
        "light": 1, "rem": 1, "deep": 1})
}

fn cycle(start: &str, end: &str) -> Value {
    json!({"session_start": start, "session_end": end, "stage_start_offset_second": [], "stage_end_offset_second": [],
        "stage_type": []})
}

/// Returns activities of a day, each of so many seconds, some with provider ids.
fn activities(count: usize, steps: usize) -> Vec<Value> {
    let time = |second: usize| {
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("2026-05-01T{hour:02}:{minute:02}:{second:02}Z")
    };
    let each = (0..count).map(|number| match number % 2 {
        0 => json!({"start": time(number * 8), "end": time(number * 8 + 7), "steps": steps}),
        _ => json!({"provider_id": number.to_string(), "steps": steps}),
    });
    each.collect()
}

#[test]
fn a_line_reads_the_stored_summaries_of_its_days_once() {
    for count in [100, 400] {
        let mut memory = Memory::default();
        // Sessions and provider ids alone cannot be mixed in one line.
        let (timed, named): (Vec<_>, Vec<_>) = activities(count, 1)
            .into_iter()
            .partition(|value| value.get("start").is_some());
        memory.take("activity", &timed).expect("is taken");
        assert_eq!((memory.reads, memory.rows), (1, 0));
        // The id of the day, and one of its own.
        assert!(memory.ids <= 2 * count, "{} of {count}", memory.ids);
        memory = Memory::default();
        memory.take("body", &named).expect("is taken");
        assert_eq!((memory.reads, memory.rows), (1, 0));
        assert!(memory.ids <= 2 * count, "{} of {count}", memory.ids);
        // Unchanged, and corrected.
        let later = |value: &Value| {
            let mut value = value.clone();
            value["steps"] = json!(2);
            value
        };
        let mut memory = Memory::default();
        memory.take("activity", &timed).expect("is taken");
        for values in [timed.clone(), timed.iter().map(later).collect()] {
            (memory.ids, memory.reads, memory.rows) = (0, 0, 0);
            let states = memory.take("activity", &values).expect("is taken");
            assert!(states.iter().all(|state| *state != Stored::Missing));
            assert_eq!((memory.reads, memory.rows), (1, count / 2));
            assert!(memory.ids <= count, "{} of {count}", memory.ids);
        }
    }
}

#[test]
fn days_that_are_far_apart_are_read_apart() {
    let mut memory = Memory::default();
    let of = |day: &str| json!({"calendar_date": day, "provider_id": day, "steps": 1});
    let values = ["2026-05-01", "2026-05-02", "2026-05-05", "2024-01-01"].map(of);
    memory.take("activity", &values).expect("is taken");
    assert_eq!(memory.reads, 2);
}

#[test]
fn a_night_is_the_one_that_it_overlaps_whatever_day_it_came_with() {
    let of = |date: &str, start: &str| {
        let mut night = night(start, "2026-05-01T06:00:00Z");
        night["calendar_date"] = json!(date);
        night
    };
    let mut memory = Memory::default();
    memory
        .take("sleep", &[of("2026-05-05", "2026-04-30T22:00:00Z")])
        .expect("is taken");
    let states = memory.take("sleep", &[of("2026-05-09", "2026-04-30T22:10:00Z")]);
    assert_eq!(states, Ok(vec![Stored::Changed]));
    assert_eq!(memory.members("sleep", "calendar_date"), ["2026-05-09"]);
}

#[test]
fn an_activity_is_the_one_of_its_provider_id_whatever_day_it_came_with() {
    let of = |date: &str, steps: u32| json!({"calendar_date": date, "provider_id": "a", "steps": steps});
    let mut memory = Memory::default();
    memory.take("activity", &[of("2026-05-01", 1)]).expect("is taken");
    assert_eq!(
        memory.take("activity", &[of("2026-05-09", 2)]),
        Ok(vec![Stored::Changed])
    );
    assert_eq!(memory.members("activity", "calendar_date"), ["2026-05-09"]);
}

#[test]
fn a_summary_whose_id_was_sent_is_never_that_of_a_value_without_one() {
    let mut memory = Memory::default();
    // Ids of a provider that derives its ids, too.
    let own = Uuid::new_v5(&Uuid::NAMESPACE_URL, b"https://stridewell.example/nights/1");
    let mut of_provider = night("2026-04-30T22:00:00Z", "2026-05-01T06:00:00Z");
    of_provider["id"] = json!(own);
    memory.take("sleep", &[of_provider]).expect("is taken");
    let states = memory.take("sleep", &[night("2026-04-30T22:10:00Z", "2026-05-01T06:00:00Z")]);
    assert_eq!(states, Ok(vec![Stored::Missing]));
    assert_eq!(memory.members("sleep", "id")[0], json!(own));
    // It is not replaced either.
    let states = memory.take("sleep", &[night("2026-04-30T21:00:00Z", "2026-05-01T07:00:00Z")]);
    assert_eq!(states, Ok(vec![Stored::Changed]));
    assert_eq!(
        memory.members("sleep", "bedtime_start"),
        ["2026-04-30T21:00:00Z", "2026-04-30T22:00:00Z"]
    );
    // A sender of the derived id means that summary.
    let mut memory = Memory::default();
    let first = night("2026-04-30T22:00:00Z", "2026-05-01T06:00:00Z");
    memory.take("sleep", std::slice::from_ref(&first)).expect("is taken");
    let mut with_id = first.clone();
    with_id["id"] = memory.members("sleep", "id")[0].clone();
    assert_eq!(memory.take("sleep", &[with_id]), Ok(vec![Stored::Unchanged]));
    assert_eq!(memory.take("sleep", &[first]), Ok(vec![Stored::Unchanged]));
}

#[test]
fn the_sleep_of_a_cycle_is_the_stored_one_that_it_overlaps() {
    let mut memory = Memory::default();
    let stop = "2026-05-01T06:00:00Z";
    let mut with_id = night("2026-05-01T13:00:00Z", "2026-05-01T14:00:00Z");
    with_id["provider_id"] = json!("nap");
    for values in [
        night("2026-04-30T22:00:00Z", stop),
        night("2026-04-30T22:10:00Z", stop),
        with_id,
    ] {
        memory.take("sleep", &[values]).expect("is taken");
    }
    let sleeps = memory.members("sleep", "id");
    // The first ones that arrive after the night has moved.
    let cycles = [
        cycle("2026-04-30T22:10:00Z", stop),
        cycle("2026-05-01T13:01:00Z", "2026-05-01T14:00:00Z"),
    ];
    for expected in [Stored::Missing, Stored::Unchanged] {
        assert_eq!(memory.take("sleep_cycle", &cycles), Ok(vec![expected; 2]));
        assert_eq!(memory.members("sleep_cycle", "sleep_id"), sleeps);
    }
    // Without a stored sleep, it belongs to the one that begins with it, even if that comes later.
    let mut memory = Memory::default();
    memory.take("sleep_cycle", &cycles[..1]).expect("is taken");
    memory
        .take("sleep", &[night("2026-04-30T22:10:00Z", stop)])
        .expect("is taken");
    assert_eq!(memory.members("sleep_cycle", "sleep_id"), memory.members("sleep", "id"));
    // A night that replaces others has one of their ids.
    let mut memory = Memory::default();
    let parts = [
        night("2026-04-30T22:00:00Z", "2026-05-01T01:00:00Z"),
        night("2026-05-01T01:30:00Z", stop),
    ];
    memory.take("sleep", &parts).expect("is taken");
    let whole = ["2026-04-30T22:00:00Z", stop];
    memory
        .take(
            "sleep_cycle",
            &[cycle(
                parts[0]["bedtime_start"].as_str().expect("a time"),
                "2026-05-01T01:00:00Z",
            )],
        )
        .expect("is taken");
    memory.take("sleep", &[night(whole[0], whole[1])]).expect("is taken");
    let states = memory.take("sleep_cycle", &[cycle(whole[0], whole[1])]);
    assert_eq!(states, Ok(vec![Stored::Changed]));
    assert_eq!(memory.members("sleep_cycle", "sleep_id"), memory.members("sleep", "id"));
}

#[test]
fn an_activity_that_overlaps_several_stored_ones_replaces_them() {
    let mut memory = Memory::default();
    let of = |hours: [u32; 2], steps: u32| {
        let [start, end] = hours.map(|hour| format!("2026-05-01T{hour:02}:00:00Z"));
        json!({"start": start, "end": end, "steps": steps})
    };
    let mut named = of([8, 9], 7);
    named["provider_id"] = json!("n");
    for value in [of([0, 4], 1), of([8, 12], 2), of([20, 22], 3), named] {
        memory.take("activity", &[value]).expect("is taken");
    }
    // The one with a provider id was the second.
    assert_eq!(memory.members("activity", "steps"), [1, 7, 3]);
    memory.take("activity", &[of([9, 12], 2)]).expect("is taken");
    let states = memory.take("activity", &[of([2, 12], 4)]);
    assert_eq!(states, Ok(vec![Stored::Changed]));
    assert_eq!(memory.members("activity", "steps"), [4, 7, 3]);
}

/// Documents of earlier versions.
#[test]
fn what_an_earlier_version_stored_in_another_form_says_the_same() {
    let meal = json!({"timestamp": "2026-05-01T12:00:00.123456789+02:00", "provider_id": "m", "name": "soup", "priority_id": 1,
        "source_id": 1, "micros": {"minerals": {"zinc": null, "iron": 2.5}}});
    let day = json!({"steps": 5, "mood": {"is": null, "was": 1}, "wheelchair_use": false});
    let session = json!({"session_start": "2026-05-01T23:00:00.1234567Z", "session_end": "2026-05-02T06:00:00Z",
        "stage_start_offset_second": [0], "stage_end_offset_second": [60], "stage_type": [1], "source_type": "forged"});
    for (resource, value, added) in [
        ("meal", meal, &["calendar_date"][..]),
        ("activity", day, &[]),
        ("sleep_cycle", session, &["hypnogram"]),
    ] {
        let (now, _) = complete(resource, value.clone(), "2026-06-01T00:00:00Z", None);
        let mut stored = now.clone();
        for (name, member) in arrival(resource, value.clone()).expect("is valid").data[0].iter() {
            stored.insert(name, member.clone());
        }
        added.iter().for_each(|name| drop(stored.remove(name)));
        let (again, summary) = complete(resource, value, "2026-06-02T00:00:00Z", Some(&stored));
        assert_eq!(summary.stored, Stored::Unchanged, "{resource}");
        assert_eq!(shown(&again), shown(&now), "{resource}");
        // A difference is a change.
        let mut other: ExactObject = stored;
        other.insert(
            "steps",
            arrival("activity", json!({"steps": 6})).expect("is valid").data[0]
                .get("steps")
                .expect("steps")
                .clone(),
        );
        let mut changed = shown(&now);
        changed
            .as_object_mut()
            .expect("an object")
            .retain(|name, _| !["id", "created_at", "updated_at", "user_id"].contains(&&**name));
        let (_, summary) = complete(resource, changed, "2026-06-02T00:00:00Z", Some(&other));
        assert_eq!(summary.stored, Stored::Changed, "{resource}");
    }
}
