//! Times without an offset, read in the user's fallback time zone.

use crate::seed::Seed;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, civil};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::borrow::Cow;
use uuid::Uuid;
use wearlab_store::DataArrival;

pub(super) const OSLO: &str = "Europe/Oslo";

fn data(resource: &str, values: &Value) -> DataArrival {
    let id = Uuid::nil();
    let fields = json!({"team_id": id, "user_id": id, "provider": "stridewell", "resource": resource, "date": "2026-05-01",
        "data": values});
    serde_json::from_value(fields).expect("data")
}

/// Returns the values of a resource as read in a time zone.
fn read(resource: &str, values: &Value, zone: &str) -> Value {
    json!(data(resource, values).values_in(zone).expect("a time zone"))
}

/// Returns a time as read in a time zone.
fn time(text: &str, zone: &str) -> String {
    let read = read("unheard_of", &json!([{ "timestamp": text }]), zone);
    read[0]["timestamp"].as_str().expect("a text").to_owned()
}

#[test]
fn a_time_gets_the_offset_that_its_zone_had_then() {
    for (text, zone, expected) in [
        ("2026-01-31T10:00:00", OSLO, "2026-01-31T10:00:00+01:00"),
        ("2026-07-31T10:00:00", OSLO, "2026-07-31T10:00:00+02:00"),
        ("2026-07-31T10:00:00.25", OSLO, "2026-07-31T10:00:00.250+02:00"),
        ("2026-07-31T10:00", OSLO, "2026-07-31T10:00:00+02:00"),
        ("2026-07-31 10:00:00", OSLO, "2026-07-31T10:00:00+02:00"),
        ("2026-07-31T10:00:00", "UTC", "2026-07-31T10:00:00+00:00"),
        ("2026-07-31T10:00:00", "Asia/Kathmandu", "2026-07-31T10:00:00+05:45"),
        ("2026-07-31T10:00:00", "America/St_Johns", "2026-07-31T10:00:00-02:30"),
        ("2026-07-31T10:00:00", "Etc/GMT+12", "2026-07-31T10:00:00-12:00"),
        // A skipped time: shifted by the length of the gap.
        ("2026-03-29T01:59:59", OSLO, "2026-03-29T01:59:59+01:00"),
        ("2026-03-29T02:00:00", OSLO, "2026-03-29T03:00:00+02:00"),
        ("2026-03-29T02:30:00", OSLO, "2026-03-29T03:30:00+02:00"),
        ("2026-03-29T03:00:00", OSLO, "2026-03-29T03:00:00+02:00"),
        (
            "2026-10-04T02:15:00",
            "Australia/Lord_Howe",
            "2026-10-04T02:45:00+11:00",
        ),
        // A day that did not exist.
        ("2011-12-30T12:00:00", "Pacific/Apia", "2011-12-31T12:00:00+14:00"),
        // A repeated time: the first one.
        ("2026-10-25T01:59:59", OSLO, "2026-10-25T01:59:59+02:00"),
        ("2026-10-25T02:30:00", OSLO, "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T03:00:00", OSLO, "2026-10-25T03:00:00+01:00"),
        // After and before the entries of the database.
        ("2090-07-31T10:00:00", OSLO, "2090-07-31T10:00:00+02:00"),
        ("0001-01-01T00:00:00", "UTC", "0001-01-01T00:00:00+00:00"),
        // The offset was 00:53:28 then.
        ("1890-01-01T00:00:45", "Europe/Berlin", "1890-01-01T00:00:17+00:53"),
        // A leap second.
        ("2016-12-31T23:59:60", "UTC", "2016-12-31T23:59:60+00:00"),
    ] {
        assert_eq!(time(text, zone), expected, "{text} in {zone}");
    }
}

#[test]
fn what_is_no_time_without_an_offset_stays() {
    for text in [
        "2026-07-31T10:00:00Z",
        "2026-07-31T10:00:00+02:00",
        "2026-07-31T10:00:00-0230",
        "2026-07-31T10:00:00+02:00[Europe/Oslo]",
        "2026-07-31",
        "10:00:00",
        "2026-07-31T10",
        "2026-07-31T24:00:00",
        "2026-02-30T10:00:00",
        "+12026-07-31T10:00:00",
        "12026-07-31T10:00:00",
        "2026-7-31T10:00:00",
        "31.07.2026T10:00:00",
        "2026-07-31T10:00:00 and more",
        "2026\u{2010}07-31T10:00:00",
        "",
    ] {
        assert_eq!(time(text, OSLO), text);
        assert!(matches!(
            data("unheard_of", &json!([{ "timestamp": text }])).values_in("Mars/Olympus"),
            Ok(Cow::Borrowed(_))
        ));
    }
    let unknown = json!([{"timestamp": "2026-07-31T10:00:00"}]);
    assert!(data("unheard_of", &unknown).values_in("Mars/Olympus").is_err());
}

#[test]
fn times_are_known_by_their_names() {
    let (local, read_as) = ("2026-07-31T10:00:00", "2026-07-31T10:00:00+02:00");
    let values = json!([
        {"timestamp": local, "start": local, "end": local, "note": local, "deep": {"timestamp": local}, "value": 1},
        {"start": 1, "end": null, "timestamp": ["2026-07-31T10:00:00"]},
        {"timestamp": local, "timezone_offset": 3600},
        {"timestamp": local, "timeZone": "Asia/Tokyo"},
        {"timestamp": local, "time_zone": null, "heart_rate_zones": [1]},
    ]);
    let mut expected = values.clone();
    for name in ["timestamp", "start", "end"] {
        expected[0][name] = json!(read_as);
    }
    expected[4]["timestamp"] = json!(read_as);
    assert_eq!(read("unheard_of", &values, OSLO), expected);
    let cycle = json!([{"session_start": local, "session_end": local, "timestamp": local, "hypnogram": [
        {"start": local, "end": local}, 7]}]);
    let mut expected = cycle.clone();
    for pointer in [
        "/session_start",
        "/session_end",
        "/hypnogram/0/start",
        "/hypnogram/0/end",
    ] {
        *expected[0].pointer_mut(pointer).expect("a time") = json!(read_as);
    }
    assert_eq!(read("sleep_cycle", &cycle, OSLO), expected);
}

/// A night in which the clock goes back, in local time.
#[test]
fn sleep_goes_forward_where_the_clock_goes_back() {
    let on = |hour: &str| format!("2026-10-25T{hour}:00");
    let stages = ["01:30", "02:10", "02:50", "02:20", "02:40", "03:10"];
    let stages = stages
        .windows(2)
        .map(|pair| json!({"start": on(pair[0]), "end": on(pair[1]), "stage": "deep"}));
    let stages: Vec<_> = stages.collect();
    let offsets = ["+02:00", "+02:00", "+02:00", "+01:00", "+01:00", "+01:00"];
    let of = |stages: &Value| -> Vec<String> {
        let mut times: Vec<_> = stages
            .as_array()
            .expect("a list")
            .iter()
            .map(|stage| stage["start"].clone())
            .collect();
        times.push(stages[4]["end"].clone());
        times
            .iter()
            .map(|time| time.as_str().expect("a text")[19..].to_owned())
            .collect()
    };
    assert_eq!(of(&read("hypnogram", &json!(stages), OSLO)), offsets);
    let cycle = json!([{"session_start": on("01:30"), "session_end": on("02:45"), "hypnogram": stages[..4]},
        {"session_start": on("02:45"), "session_end": on("02:15"), "hypnogram": []}]);
    let read = read("sleep_cycle", &cycle, OSLO);
    assert_eq!(read[0]["session_end"], "2026-10-25T02:45:00+01:00", "after its stages");
    assert_eq!(
        read[1]["session_start"], "2026-10-25T02:45:00+02:00",
        "of another session"
    );
    assert_eq!(read[1]["session_end"], "2026-10-25T02:15:00+01:00");
}

/// Returns all moments, at intervals of a quarter of an hour, at which a clock in the zone shows a time.
fn moments(zone: &TimeZone, local: NaiveDateTime) -> Vec<Timestamp> {
    let shown = |moment: &Timestamp| {
        let shown = zone.to_datetime(*moment);
        (shown.date(), shown.time())
    };
    let wanted: civil::DateTime = local.to_string().replace(' ', "T").parse().expect("a time");
    let quarters = -(26 * 4)..=26 * 4;
    let utc = local.and_utc().timestamp();
    let moments = quarters.map(|quarter| Timestamp::from_second(utc + quarter * 900).expect("a time"));
    moments
        .filter(|moment| shown(moment) == (wanted.date(), wanted.time()))
        .collect()
}

/// Compares with a search through all moments. A time has the first moment at which the clock shows it. A skipped time
/// is shifted by the length of the gap.
#[test]
fn times_are_those_that_a_search_finds() {
    let seed = Seed::one(26);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.number());
    // Their offsets have been whole quarters of an hour since 1980.
    let zones = [
        OSLO,
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Pacific/Apia",
        "America/Caracas",
        "Africa/Casablanca",
        "Pacific/Chatham",
        "Asia/Pyongyang",
        "America/Santiago",
        "Africa/Juba",
        "Asia/Gaza",
    ];
    let day = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).expect("a day");
    let (first, last) = (day(1980, 1, 2), day(2037, 12, 30));
    let days = (last - first).num_days();
    let (mut skipped, mut twice) = (0, 0);
    for _ in 0..6_000 {
        let name = zones[rng.random_range(0..zones.len())];
        let zone = TimeZoneDatabase::bundled().get(name).expect("a time zone");
        let begin = (first + TimeDelta::days(rng.random_range(0..days)))
            .and_hms_opt(0, 0, 0)
            .expect("a time");
        // Half of them are close to a change of the clock.
        let from = Timestamp::from_second(begin.and_utc().timestamp()).expect("a time");
        let change = zone.following(from).next().filter(|_| rng.random_range(0..2) == 0);
        let near = change.map_or(begin, |change| {
            DateTime::from_timestamp(change.timestamp().as_second() + i64::from(change.offset().seconds()), 0)
                .expect("a time")
                .naive_utc()
        });
        let local = near + TimeDelta::minutes(rng.random_range(-100..100));
        let text = local.format("%Y-%m-%dT%H:%M:%S").to_string();
        let found: DateTime<FixedOffset> = time(&text, name).parse().expect("a time");
        let moment = Timestamp::from_second(found.timestamp()).expect("a time");
        assert_eq!(
            zone.to_offset(moment).seconds(),
            found.offset().local_minus_utc(),
            "{text} in {name}"
        );
        let moments = moments(&zone, local);
        match moments.first() {
            Some(first) => assert_eq!(moment, *first, "{text} in {name}"),
            None => {
                let after = Timestamp::from_second(moment.as_second() + 1).expect("a time");
                let change = zone.preceding(after).next().expect("a change").timestamp();
                let before = zone.to_offset(Timestamp::from_second(change.as_second() - 1).expect("a time"));
                let gap = found.offset().local_minus_utc() - before.seconds();
                assert_eq!(
                    (found.naive_local() - local).num_seconds(),
                    i64::from(gap),
                    "{text} in {name}"
                );
                skipped += 1;
            }
        }
        twice += u32::from(moments.len() > 1);
    }
    assert!(
        skipped > 200 && twice > 200,
        "{skipped} were skipped, {twice} came twice"
    );
}
