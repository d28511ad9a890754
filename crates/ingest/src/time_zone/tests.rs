//! Tests of times that the clock skipped or showed twice, within the values of an arrival.

use jiff::tz::TimeZoneDatabase;
use jiff::{Timestamp, ToSpan};
use proptest::prelude::{prop_assert_eq, proptest};
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use uuid::Uuid;

use super::ZoneReading;
use crate::DataArrival;

const NEW_YORK: &str = "America/New_York";

fn arrival(resource: &str, values: &Value) -> DataArrival {
    let id = Uuid::nil();
    let fields = json!({"team_id": id, "user_id": id, "provider": "stridewell", "resource": resource, "date": "2026-05-01",
        "data": values});
    serde_json::from_value(fields).expect("data")
}

/// Returns the read values, or the location of the rejected one.
fn read(resource: &str, values: &Value) -> Result<Value, String> {
    let arrival = arrival(resource, values);
    let read = arrival.values_in(NEW_YORK);
    read.map(|values| json!(values)).map_err(|error| {
        assert!(
            error.reason.contains("send times with their offset"),
            "{}",
            error.reason
        );
        error.path
    })
}

/// Returns points of a time series on a day, from the text of each time of day and its value.
fn points(day: &str, points: &[(&str, i64)]) -> Value {
    let point = |(time, value): &(&str, i64)| json!({"timestamp": format!("{day}T{time}:00"), "value": value});
    points.iter().map(point).collect()
}

/// Returns the time of day and the offset of each, by a member.
fn times(values: &Value, member: &str) -> Vec<String> {
    let time = |value: &Value| value[member].as_str().expect("a time")[11..].replace(":00-0", "-");
    values.as_array().expect("a list").iter().map(time).collect()
}

#[test]
fn a_time_whose_year_has_five_digits_in_utc_is_refused() {
    let open_end = arrival("steps", &json!([{"timestamp": "9999-12-31T23:59:59", "value": 1}]));
    let refused = open_end.values_in(NEW_YORK).expect_err("it is January 10000");
    assert_eq!(
        (&*refused.path, &*refused.reason),
        ("data[0]", "the year is not from 0000 to 9999")
    );
    open_end.values_in("Asia/Tokyo").expect("it is December");
}

#[test]
fn the_order_of_points_decides_which_of_two_times_is_meant() {
    let night = points(
        "2025-11-02",
        &[
            ("01:10", 100),
            ("01:50", 110),
            ("01:10", 200),
            ("01:50", 210),
            ("02:10", 5),
        ],
    );
    let expected = ["01:10-4:00", "01:50-4:00", "01:10-5:00", "01:50-5:00", "02:10-5:00"];
    assert_eq!(times(&read("steps", &night).expect("is read"), "timestamp"), expected);
    let mut newest_first = night.as_array().expect("a list").clone();
    newest_first.reverse();
    let newest_first = read("steps", &json!(newest_first)).expect("is read");
    let reversed: Vec<_> = expected.iter().rev().copied().collect();
    assert_eq!(times(&newest_first, "timestamp"), reversed);
    // Each type has its own order, and each time its offset if it has one.
    let typed = json!([
        {"timestamp": "2025-11-02T01:50:00", "type": "a"}, {"timestamp": "2025-11-02T01:10:00", "type": "b"},
        {"timestamp": "2025-11-02T01:10:00", "type": "a"}, {"timestamp": "2025-11-02T01:50:00", "type": "b"},
        {"timestamp": "2025-11-02T01:55:00-05:00", "type": "b"}, {"timestamp": "2025-11-02T02:00:00", "type": "b"}]);
    let typed = times(&read("body_temperature", &typed).expect("is read"), "timestamp");
    assert_eq!(
        typed,
        [
            "01:50-4:00",
            "01:10-4:00",
            "01:10-5:00",
            "01:50-4:00",
            "01:55-5:00",
            "02:00-5:00"
        ]
    );
}

#[test]
fn spans_and_sessions_have_their_length() {
    let at = |time: &str| format!("2025-11-02T{time}:00");
    let spans = |names: [&str; 2], spans: &[[&str; 2]]| -> Value {
        spans
            .iter()
            .map(|[start, end]| json!({names[0]: at(start), names[1]: at(end)}))
            .collect()
    };
    let night = [
        ["00:40", "01:20"],
        ["01:20", "01:50"],
        ["01:50", "01:15"],
        ["01:15", "01:45"],
        ["01:45", "02:10"],
    ];
    let starts = ["00:40-4:00", "01:20-4:00", "01:50-4:00", "01:15-5:00", "01:45-5:00"];
    let ends = ["01:20-4:00", "01:50-4:00", "01:15-5:00", "01:45-5:00", "02:10-5:00"];
    for (resource, names) in [
        ("workouts", ["time_start", "time_end"]),
        ("sleep", ["bedtime_start", "bedtime_stop"]),
        ("hypnogram", ["start", "end"]),
        ("electrocardiogram", ["session_start", "session_end"]),
        ("unheard_of", ["start", "end"]),
    ] {
        let values = read(resource, &spans(names, &night)).expect("is read");
        assert_eq!(times(&values, names[0]), starts, "{resource}");
        assert_eq!(times(&values, names[1]), ends, "{resource}");
    }
    // The timestamp of a sample is that of its start, or of its end.
    for stamp in [0, 1] {
        let samples: Value = (night.iter())
            .map(|span| json!({"timestamp": at(span[stamp]), "start": at(span[0]), "end": at(span[1]), "value": 1}))
            .collect();
        let values = read("steps", &samples).expect("is read");
        assert_eq!(times(&values, "start"), starts);
        assert_eq!(times(&values, "end"), ends);
        assert_eq!(times(&values, "timestamp"), [starts, ends][stamp]);
    }
    // It may be near to both.
    let sample = json!([{"timestamp": at("01:00"), "start": at("01:10"), "end": at("01:50")}]);
    assert_eq!(
        times(&read("steps", &sample).expect("is read"), "timestamp"),
        ["01:00-4:00"]
    );
    // A session that begins at a change of the clock is as long as its stages.
    let cycle = json!([{"session_start": at("01:50"), "session_end": at("01:40"), "hypnogram": [
        {"start": at("01:50"), "end": at("01:30"), "stage": "deep"}, {"start": at("01:30"), "end": at("01:40"), "stage": "rem"}]}]);
    let cycle = read("sleep_cycle", &cycle).expect("is read");
    assert_eq!(times(&cycle, "session_start"), ["01:50-4:00"]);
    assert_eq!(times(&cycle, "session_end"), ["01:40-5:00"]);
    assert_eq!(times(&cycle[0]["hypnogram"], "end"), ["01:30-5:00", "01:40-5:00"]);
}

#[test]
fn what_the_order_cannot_decide_is_refused_with_its_place() {
    let refused = |resource: &str, values: &Value| read(resource, values).expect_err("is refused");
    let day = "2025-11-02";
    for (samples, place) in [
        // The same time twice, even with one value: it may be that of an hour later.
        (points(day, &[("01:10", 1), ("01:10", 2)]), "data[1].timestamp"),
        (points(day, &[("01:10", 1), ("01:10", 1)]), "data[1].timestamp"),
        (
            points(
                day,
                &[("00:50", 1), ("01:10", 2), ("01:50", 3), ("01:10", 4), ("01:10", 5)],
            ),
            "data[4].timestamp",
        ),
        // Without an order.
        (
            points(
                day,
                &[("01:10", 1), ("01:50", 2), ("01:10", 3), ("01:30", 4), ("01:10", 5)],
            ),
            "data[0].timestamp",
        ),
        (
            points(day, &[("05:00", 1), ("01:10", 2), ("03:00", 3)]),
            "data[1].timestamp",
        ),
    ] {
        assert_eq!(refused("steps", &samples), place, "{samples}");
    }
    let with_offset = json!([{"timestamp": "2025-11-02T05:10:00Z"}, {"timestamp": "2025-11-02T01:10:00"}]);
    assert_eq!(refused("steps", &with_offset), "data[1].timestamp");
    // It overlaps the span before, or follows it.
    let span = |start: &str, end: &str| json!({"timestamp": format!("{day}T{start}"), "start": format!("{day}T{start}"), "end": format!("{day}T{end}")});
    let spans = json!([span("01:00", "01:40"), span("01:20", "01:50")]);
    assert_eq!(refused("steps", &spans), "data[1].timestamp");
    // Two sessions with the same start; with ids of their own, both stay.
    let workout = |id: Value| json!({"time_start": "2025-11-02T01:10:00", "time_end": "2025-11-02T02:30:00", "id": id});
    let workouts = json!([workout(Value::Null), workout(Value::Null)]);
    assert_eq!(refused("workouts", &workouts), "data[1].time_start");
    assert!(read("workouts", &json!([workout(json!("a")), workout(json!("b"))])).is_ok());
    // Stages without an order.
    let stage = |start: &str, end: &str| json!({"start": format!("{day}T{start}"), "end": format!("{day}T{end}")});
    let stages = [
        stage("01:50", "01:10"),
        stage("01:20", "01:40"),
        stage("01:20", "01:30"),
        stage("01:00", "01:10"),
    ];
    let cycle =
        json!([{"session_start": "2025-11-02T01:00:00", "session_end": "2025-11-02T03:00:00", "hypnogram": stages}]);
    assert_eq!(refused("sleep_cycle", &cycle), "data[0].hypnogram[3].end");
}

#[test]
fn a_skipped_time_is_moved_and_never_onto_another_value() {
    let day = "2026-03-08";
    let moved = read(
        "heartrate",
        &points(day, &[("01:50", 60), ("02:30", 70), ("03:40", 80)]),
    )
    .expect("is read");
    assert_eq!(times(&moved, "timestamp"), ["01:50-5:00", "03:30-4:00", "03:40-4:00"]);
    for (samples, place) in [
        (points(day, &[("02:30", 60), ("03:30", 90)]), "data[0].timestamp"),
        (points(day, &[("03:30", 60), ("02:30", 60)]), "data[1].timestamp"),
        (
            json!([{"timestamp": "2026-03-08T03:30:00-04:00", "value": 1}, {"timestamp": "2026-03-08T02:30:00", "value": 2}]),
            "data[1].timestamp",
        ),
    ] {
        assert_eq!(read("heartrate", &samples), Err(place.to_owned()), "{samples}");
    }
    // Two types are two samples.
    let mut typed = points(day, &[("02:30", 60), ("03:30", 90)]);
    typed[0]["type"] = json!("resting");
    assert!(read("heartrate", &typed).is_ok());
    // A repetition, or a correction, as at any other time.
    assert!(read("heartrate", &points(day, &[("02:30", 60), ("02:30", 61)])).is_ok());
    assert!(read("heartrate", &points(day, &[("12:30", 60), ("12:30", 61)])).is_ok());
    let workout =
        |start: &str, end: &str| json!({"time_start": format!("{day}T{start}"), "time_end": format!("{day}T{end}")});
    let workouts = json!([workout("02:30", "04:00"), workout("03:30", "05:00")]);
    assert_eq!(read("workouts", &workouts), Err("data[0].time_start".to_owned()));
    // Shifted, it would begin after its end.
    let backward = json!([workout("02:30", "03:10")]);
    assert_eq!(read("workouts", &backward), Err("data[0].time_end".to_owned()));
    let across = read("workouts", &json!([workout("01:40", "03:10")])).expect("is read");
    assert_eq!(times(&across, "time_start"), ["01:40-5:00"]);
    assert_eq!(times(&across, "time_end"), ["03:10-4:00"]);
}

#[test]
fn what_was_assumed_of_times_is_noted() {
    let noted = |values: &Value| {
        let arrival = arrival("heartrate", values);
        let ZoneReading {
            local,
            skipped,
            ambiguous,
            ..
        } = arrival.read_in(NEW_YORK).expect("is read");
        [local, skipped, ambiguous].map(|path| path.map_or(-1, |path| i64::from(path.as_bytes()[5] - b'0')))
    };
    assert_eq!(noted(&json!([{"timestamp": "2025-11-02T01:10:00Z"}])), [-1, -1, -1]);
    assert_eq!(noted(&points("2026-03-08", &[("01:10", 1), ("02:30", 2)])), [0, 1, -1]);
    // Alone, it may be either. Between others, it is decided.
    assert_eq!(noted(&points("2025-11-02", &[("00:10", 1), ("01:10", 1)])), [0, -1, 1]);
    assert_eq!(noted(&points("2025-11-02", &[("01:50", 1), ("01:10", 1)])), [0, -1, 0]);
    let whole = [("01:10", 1), ("01:50", 1), ("01:10", 1), ("01:50", 1), ("02:10", 1)];
    assert_eq!(noted(&points("2025-11-02", &whole)), [0, -1, -1]);
    assert_eq!(noted(&points("2025-11-02", &whole[1..])), [0, -1, -1]);
    assert_eq!(noted(&points("2025-11-02", &whole[2..])), [0, -1, 0]);
}

/// The time need be neither the start nor the end of the span.
#[test]
fn a_time_within_a_span_is_ambiguous_where_both_readings_are_in_it() {
    let read = |timestamp: &str, start: &str, end: &str| {
        let values = json!([{"timestamp": timestamp, "start": start, "end": end, "value": 1}]);
        let arrival = arrival("steps", &values);
        let read = arrival.read_in(NEW_YORK).expect("is read");
        (json!(read.values)[0]["timestamp"].clone(), read.ambiguous)
    };
    let open = Some("data[0].timestamp".to_owned());
    for (times, timestamp, ambiguous) in [
        (
            ["2026-11-01T01:00:00", "2026-11-01T00:50:00", "2026-11-01T02:10:00"],
            "2026-11-01T01:00:00-04:00",
            open.clone(),
        ),
        // One is before the start, though near it.
        (
            [
                "2026-11-01T01:05:00",
                "2026-11-01T01:10:00-04:00",
                "2026-11-01T01:55:00-05:00",
            ],
            "2026-11-01T01:05:00-05:00",
            None,
        ),
        (
            [
                "2026-11-01T01:30:00",
                "2026-11-01T00:50:00",
                "2026-11-01T01:45:00-04:00",
            ],
            "2026-11-01T01:30:00-04:00",
            None,
        ),
        (
            ["2026-11-01T00:50:00", "2026-11-01T00:50:00", "2026-11-01T02:10:00"],
            "2026-11-01T00:50:00-04:00",
            None,
        ),
    ] {
        let [at, start, end] = times;
        assert_eq!(
            read(at, start, end),
            (json!(timestamp), ambiguous),
            "{at} in {start}/{end}"
        );
    }
}

/// Zones whose clocks have changed since 1980 by half an hour, an hour, two and more, in both directions.
const ZONES: &[&str] = &[
    NEW_YORK,
    "Europe/Oslo",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Antarctica/Casey",
    "America/St_Johns",
    "America/Caracas",
    "America/Santiago",
    "Africa/Casablanca",
    "Africa/Juba",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Honolulu",
];

proptest! {
    /// Reads an ordered series of instants back from their local times.
    #[test]
    fn an_ordered_series_is_read_back(
        zone in select(ZONES),
        change in proptest::prelude::any::<Index>(),
        second in 0..600_i64,
        form in 0..6_usize,
        newest_first in proptest::prelude::any::<bool>(),
    ) {
        let tz = TimeZoneDatabase::bundled().get(zone).expect("a time zone");
        let from: Timestamp = "1980-01-02T00:00:00Z".parse().expect("a time");
        let until: Timestamp = "2037-01-01T00:00:00Z".parse().expect("a time");
        let mut changes: Vec<_> = tz.following(from).map(|change| change.timestamp()).take_while(|time| *time < until).collect();
        changes.push(from);
        let first = *change.get(&changes) - 6.hours() + second.seconds();
        let instants: Vec<_> = (0..72).map(|number| first + (10 * number).minutes()).collect();
        let shown = |instant: &Timestamp| tz.to_datetime(*instant).strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let value = |pair: &[Timestamp]| match form {
            0 => json!({"timestamp": shown(&pair[0]), "value": 1}),
            1 => json!({"timestamp": shown(&pair[0]), "start": shown(&pair[0]), "end": shown(&pair[1]), "value": 1}),
            2 => json!({"timestamp": shown(&pair[1]), "start": shown(&pair[0]), "end": shown(&pair[1]), "value": 1}),
            3 => json!({"time_start": shown(&pair[0]), "time_end": shown(&pair[1])}),
            _ => json!({"start": shown(&pair[0]), "end": shown(&pair[1])}),
        };
        let mut values: Vec<_> = instants.windows(2).map(value).collect();
        let mut expected: Vec<_> = instants.windows(2).collect();
        // Stages of a cycle are ordered by time.
        if newest_first && form != 5 {
            values.reverse();
            expected.reverse();
        }
        let (resource, values) = match form {
            0..=2 => ("steps", json!(values)),
            3 => ("workouts", json!(values)),
            4 => ("hypnogram", json!(values)),
            _ => ("sleep_cycle", json!([{"session_start": shown(&instants[0]), "session_end": shown(&instants[71]), "hypnogram": values}])),
        };
        let arrival = arrival(resource, &values);
        let read = arrival.read_in(zone);
        let read = read.map_err(|error| proptest::test_runner::TestCaseError::fail(format!("{zone}: {error}")))?;
        prop_assert_eq!((read.skipped, read.ambiguous), (None, None), "{}", zone);
        let mut read = json!(read.values);
        if form == 5 {
            for (member, instant) in [("session_start", instants[0]), ("session_end", instants[71])] {
                prop_assert_eq!(read[0][member].as_str().and_then(|text| text.parse().ok()), Some(instant));
            }
            read = read[0]["hypnogram"].clone();
        }
        let names: &[&str] = match form {
            0 => &["timestamp"],
            3 => &["time_start", "time_end"],
            1 | 2 => &["start", "end"],
            _ => &["start", "end"],
        };
        for (value, pair) in read.as_array().expect("a list").iter().zip(expected) {
            for (name, instant) in names.iter().zip(pair) {
                let found: Timestamp = value[*name].as_str().expect("a text").parse().expect("a time");
                prop_assert_eq!(found, *instant, "{} in {}", name, zone);
            }
            if let Some(stamp) = value.get("timestamp").filter(|_| form == 2) {
                let found: Timestamp = stamp.as_str().expect("a text").parse().expect("a time");
                prop_assert_eq!(found, pair[1], "timestamp in {}", zone);
            }
        }
    }
}
