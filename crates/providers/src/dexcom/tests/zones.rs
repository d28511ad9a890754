//! Tests of times, of clock changes, of travel, and of clocks that are wrong.

use wearlab_models::ResourceName::Glucose;

use super::super::generated::models::Egv;
use super::super::mapping;
use super::{check_arrivals, read, values};

fn record(system: &str, display: &str) -> Egv {
    read(&format!(
        r#"{{"recordId":"r-1","systemTime":"{system}","displayTime":"{display}","unit":"mmol/L","value":6.0}}"#
    ))
}

/// Returns the time and the day of a value.
fn time(system: &str, display: &str) -> (String, String) {
    let readings = mapping::egvs(&[record(system, display)]).expect("a time");
    check_arrivals(&readings);
    let time = values(&readings, Glucose)[0]["timestamp"].as_str().map(str::to_owned);
    (time.expect("a time"), readings[0].day.to_string())
}

fn check(cases: &[(&str, &str, &str, &str)]) {
    for (system, display, expected, day) in cases {
        assert_eq!(
            time(system, display),
            ((*expected).to_owned(), (*day).to_owned()),
            "{system} {display}"
        );
    }
}

/// The hours before and after each change, by a phone and by a receiver.
#[test]
fn clock_changes() {
    check(&[
        (
            "2026-03-29T00:59:00Z",
            "2026-03-29T01:59:00+01:00",
            "2026-03-29T01:59:00+01:00",
            "2026-03-29",
        ),
        (
            "2026-03-29T01:04:00Z",
            "2026-03-29T03:04:00+02:00",
            "2026-03-29T03:04:00+02:00",
            "2026-03-29",
        ),
        (
            "2026-03-29T00:59:00",
            "2026-03-29T01:59:00",
            "2026-03-29T01:59:00+01:00",
            "2026-03-29",
        ),
        (
            "2026-03-29T01:04:00",
            "2026-03-29T03:04:00",
            "2026-03-29T03:04:00+02:00",
            "2026-03-29",
        ),
        // The hour that is there twice.
        (
            "2026-10-25T00:30:00Z",
            "2026-10-25T02:30:00+02:00",
            "2026-10-25T02:30:00+02:00",
            "2026-10-25",
        ),
        (
            "2026-10-25T01:30:00Z",
            "2026-10-25T02:30:00+01:00",
            "2026-10-25T02:30:00+01:00",
            "2026-10-25",
        ),
        (
            "2026-10-25T00:30:00",
            "2026-10-25T02:30:00",
            "2026-10-25T02:30:00+02:00",
            "2026-10-25",
        ),
        (
            "2026-10-25T01:30:00",
            "2026-10-25T02:30:00",
            "2026-10-25T02:30:00+01:00",
            "2026-10-25",
        ),
    ]);
}

/// The day is that of the display, also where it is another one in UTC.
#[test]
fn travel() {
    check(&[
        (
            "2026-03-03T16:30:00Z",
            "2026-03-04T01:30:00+09:00",
            "2026-03-04T01:30:00+09:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T07:30:00Z",
            "2026-03-03T23:30:00-08:00",
            "2026-03-03T23:30:00-08:00",
            "2026-03-03",
        ),
        (
            "2026-03-03T11:00:00",
            "2026-03-04T01:00:00",
            "2026-03-04T01:00:00+14:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T11:30:00",
            "2026-03-03T23:30:00",
            "2026-03-03T23:30:00-12:00",
            "2026-03-03",
        ),
        (
            "2026-03-04T06:00:00",
            "2026-03-04T11:45:00",
            "2026-03-04T11:45:00+05:45",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00",
            "2026-03-04T02:30:00",
            "2026-03-04T02:30:00-03:30",
            "2026-03-04",
        ),
    ]);
}

/// Either time may have an offset. The instant is that of the device.
#[test]
fn times_with_and_without_an_offset() {
    check(&[
        (
            "2026-03-04T06:00:00",
            "2026-03-04T07:00:00+01:00",
            "2026-03-04T07:00:00+01:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00Z",
            "2026-03-04T07:00:00",
            "2026-03-04T07:00:00+01:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T07:00:00+01:00",
            "2026-03-04T07:00:00",
            "2026-03-04T07:00:00+01:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00-00:00",
            "2026-03-04T06:00:00Z",
            "2026-03-04T06:00:00+00:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00.250",
            "2026-03-04T07:00:00.250",
            "2026-03-04T07:00:00.250+01:00",
            "2026-03-04",
        ),
    ]);
}

/// A display that is minutes off has the nearest quarter of an hour, and one that is days off no offset.
#[test]
fn clocks_that_are_wrong() {
    check(&[
        (
            "2026-03-04T06:00:00",
            "2026-03-04T07:07:00",
            "2026-03-04T07:00:00+01:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00",
            "2026-03-04T06:53:00",
            "2026-03-04T07:00:00+01:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00",
            "2026-03-04T00:54:00",
            "2026-03-04T01:00:00-05:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00",
            "2026-03-04T20:30:00",
            "2026-03-04T06:00:00+00:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00",
            "2026-03-03T17:30:00",
            "2026-03-04T06:00:00+00:00",
            "2026-03-04",
        ),
        (
            "2026-03-04T06:00:00",
            "2011-01-01T00:00:00",
            "2026-03-04T06:00:00+00:00",
            "2026-03-04",
        ),
    ]);
}

#[test]
fn times_that_cannot_be_read() {
    let valid = record("2026-03-04T06:00:00", "2026-03-04T07:00:00");
    for text in ["", "now", "2026-03-04", "2026-13-04T06:00:00", "1772604000"] {
        let wrong = record(text, "2026-03-04T07:00:00");
        let others = mapping::egvs(&[wrong.clone(), valid.clone()]);
        assert_eq!(others, mapping::egvs(std::slice::from_ref(&valid)), "{text}");
        let system = mapping::egvs(&[wrong]).map_err(|error| error.to_string());
        assert_eq!(
            system.err().as_deref(),
            Some("no record of egvs can be read: records[0].systemTime is not a time"),
            "{text}"
        );
        let display = mapping::egvs(&[record("2026-03-04T06:00:00", text)]).map_err(|error| error.to_string());
        assert_eq!(
            display.err().as_deref(),
            Some("no record of egvs can be read: records[0].displayTime is not a time"),
            "{text}"
        );
    }
}
