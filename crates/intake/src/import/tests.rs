//! Tests that errors are reported with their location, without values.

use serde_json::{Value, json};
use wearlab_store::Record;

fn read_line(line: &str) -> Result<Record, super::LineError> {
    super::FORMAT.read(line)
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_without_its_value() {
    let shape = "not an object with one member, such as {\"user\": {...}}";
    let date = "expected a date or time of ISO 8601, such as 2026-01-31 or 2026-01-31T10:00:00Z";
    for (line, message) in [
        (r#"["#, "not JSON from column 1 on"),
        (r#"[]"#, shape),
        (r#"{}"#, shape),
        (r#"{"organisation": {"org_id": "o"}, "team": 1}"#, shape),
        (r#"{"team": "#, "not JSON from column 9 on"),
        (r#"{"organisation": {"org_id": "o"}} {}"#, "not JSON from column 35 on"),
        (
            r#"{"organisation": {"org_id": 7}}"#,
            "organisation.org_id: expected a string",
        ),
        (r#"{"organisation": {}}"#, "organisation: missing field `org_id`"),
        (
            r#"{"organisation": {"org_id": "o", "colour": 1}}"#,
            "organisation: unknown field at column 44; expected one of org_id",
        ),
        (
            r#"{"cancellation_reason": {"id": "i", "name": "n", "is_refundable": true, "colour": 1}}"#,
            "cancellation_reason: unknown field at column 83",
        ),
        (
            r#"{"lab_account": {"team_id": "no", "lab_account_id": 1}}"#,
            "lab_account.team_id: expected a UUID",
        ),
        (
            r#"{"team": {"team_id": "00000000-0000-0000-0000-000000000000", "org_id": "o", "environment": "moon"}}"#,
            "team.environment: expected one of production, sandbox",
        ),
        (
            r#"{"user": {"ingestion_start": "2024-02-30"}}"#,
            "user.ingestion_start: there is no such date or time",
        ),
        (
            r#"{"user": {"created_on": "yesterday"}}"#,
            &format!("user.created_on: {date}"),
        ),
        (
            r#"{"user": {"fallback_time_zone": {"id": 7}}}"#,
            "user.fallback_time_zone.id: expected a string",
        ),
    ] {
        let error = read_line(line).expect_err(line);
        assert_eq!(error.to_string(), message, "{line}");
    }
    let kind = read_line(r#"{"planet": {}}"#).expect_err("is refused").to_string();
    assert!(
        kind.starts_with("unknown kind; expected one of organisation, team"),
        "{kind}"
    );
    let user = read_line(r#"{"user": {"ingestion_strat": "2026-01-01"}}"#).expect_err("is refused");
    assert_eq!(user.to_string(), "user: missing field `user_id`");
}

#[test]
fn what_no_parser_takes_is_named_as_what_it_is() {
    let deep = "[".repeat(100_000);
    let closed = format!("{{\"team\": {deep}{}}}", "]".repeat(100_000));
    let marker = |id: &str| format!(r#"{{"cancellation_reason": {{"is_refundable": true, "name": "n", "id": {id}}}}}"#);
    let loinc =
        |id: &str| format!(r#"{{"lab_test": {{"lab_test_id": "t", "name": "n", "markers": [{{"id": {id}}}]}}}}"#);
    for (line, message) in [
        (deep.as_str(), "nesting is deeper than 127 levels, at column 128"),
        (closed.as_str(), "nesting is deeper than 127 levels, at column "),
        (
            &format!("{{\"lab_test\": {{\"markers\": {deep}"),
            "nesting is deeper than 127 levels, at column ",
        ),
        (
            &format!("{{\"a\": \"{deep}\"}}"),
            "unknown kind; expected one of organisation, ",
        ),
        (
            &loinc("1e400"),
            "lab_test.markers[0].id: number is out of range, at column ",
        ),
        (
            &loinc("-1e999"),
            "lab_test.markers[0].id: number is out of range, at column ",
        ),
        (
            &marker(r#""\ud800""#),
            "cancellation_reason.id: invalid escape in a string: half of a surrogate pair, at column ",
        ),
        (
            &marker(r#""\udc00x""#),
            "cancellation_reason.id: invalid escape in a string: half of a surrogate pair, at column ",
        ),
        (
            &marker(r#""\ud800\u0041""#),
            "cancellation_reason.id: invalid escape in a string: half of a surrogate pair, at column ",
        ),
        (
            &marker(r#""\q""#),
            "cancellation_reason.id: invalid escape in a string, at column ",
        ),
        (
            &marker("\"\u{1}\""),
            "cancellation_reason.id: control character in a string",
        ),
    ] {
        let error = read_line(line).expect_err("is refused").to_string();
        assert!(error.starts_with(message), "{:.80}: {error}", line);
    }
}

/// Later limits apply to arrivals, and not to records that an earlier version stored.
#[test]
fn values_that_earlier_versions_took_are_read() {
    let id = "00000000-0000-0000-0000-000000000001";
    let read = |resource: &str, value: Value| {
        let fields = json!({"team_id": id, "user_id": id, "provider": "stridewell", "resource": resource,
            "date": "2026-05-01", "data": [value]});
        let record = read_line(&json!({ "values": fields }).to_string()).expect("a record");
        super::rules::check(&record, chrono::DateTime::UNIX_EPOCH).map_err(|error| error.to_string())
    };
    let note = json!({"timestamp": "2026-05-01T10:00:00Z", "value": "x".repeat(2 << 20)});
    assert_eq!(read("note", note), Ok(()));
    let energy = json!({"unit": "kJ", "value": 5});
    let meal = |name: Value| {
        json!({"id": id, "timestamp": "2026-05-01T12:00:00Z", "name": name, "priority_id": 1, "source_id": 1,
            "provider_id": "m", "energy": energy, "data": {"soup": {"energy": energy}},
            "created_at": "2026-05-01T12:00:00Z", "updated_at": "2026-05-01T12:00:00Z"})
    };
    assert_eq!(read("meal", meal(json!("soup"))), Ok(()));
    let refused = read("meal", meal(json!(7))).expect_err("is refused");
    assert!(refused.starts_with("values.data[0].name: "), "{refused}");
}
