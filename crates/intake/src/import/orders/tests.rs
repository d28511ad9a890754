//! Tests that errors in the record of an order are reported with their location, without values.

use chrono::DateTime;
use serde_json::{Value, json};

use super::super::{FORMAT, rules};

const ID: &str = "00000000-0000-0000-0000-000000000001";

fn good() -> Value {
    let event = |id: u32, day: u32, step: &str| json!({"id": id, "created_at": format!("2026-05-0{day}T10:00:00Z"), "status": step, "status_detail": "secret"});
    let events = [
        event(1, 1, "received.testkit.ordered"),
        event(3, 2, "received.testkit.requisition_created"),
        // These two have the same time, and the order of the table.
        event(4, 3, "collecting_sample.testkit.transit_lab"),
        event(2, 3, "sample_with_lab.testkit.delivered_to_lab"),
    ];
    let last = events[3].clone();
    json!({
        "order": {
            "id": ID, "user_id": ID, "team_id": ID,
            "patient_details": {
                "first_name": "secret", "last_name": "secret", "dob": "1987-03-14", "gender": "female",
                "phone_number": "secret", "email": "secret",
            },
            "lab_test": {
                "id": "t", "slug": "t", "name": "T", "sample_type": "serum", "method": "testkit", "price": 20,
                "is_active": true, "status": "active",
            },
            "details": {"type": "testkit", "data": {}},
            "created_at": "2026-05-01T10:00:00Z", "updated_at": "2026-05-01T10:00:00Z", "has_abn": false,
            "events": events, "status": "sample_with_lab", "last_event": last,
            "health_insurance": {"insured": {"first_name": "secret", "last_name": "secret", "dob": "1987-03-14"}},
            "activate_by": "2026-06-01",
            "consents": [{"consent_type": "abn", "time_of_consent": "2026-05-01T10:00:00Z"}],
        },
        "results": {
            "metadata": {"date_reported": "2026-05-04T10:00:00Z", "specimen_number": "secret"},
            "results": [{
                "date_reported": "2026-05-04T10:00:00Z",
                "result": {"name": "secret", "result": "secret", "type": "numeric", "timestamp": "2026-05-04T10:00:00Z"},
            }],
        },
    })
}

fn check(change: impl FnOnce(&mut Value)) -> Result<(), String> {
    let mut record = good();
    change(&mut record);
    let record = FORMAT.read(&json!({ "order": record }).to_string());
    let checked = record.and_then(|record| rules::check(&record, DateTime::UNIX_EPOCH));
    checked.map_err(|error| {
        let message = error.to_string();
        assert!(!message.contains("secret"), "{message}");
        message
    })
}

/// Checks a record with a changed field, by its JSON pointer.
fn set(pointer: &str, value: Value) -> Result<(), String> {
    check(|record| *record.pointer_mut(pointer).expect(pointer) = value)
}

#[test]
fn good_records_pass() {
    check(|_| ()).expect("is good");
    check(|record| drop(record.as_object_mut().expect("an object").remove("results"))).expect("without results");
}

#[test]
fn what_contradicts_itself_is_refused_with_its_location() {
    let order_of_steps = "the steps are not in the order of their times, and at the same time of the table of steps";
    let step = |at: usize, field: &str| format!("/order/events/{at}/{field}");
    let ids = "expected a number from 1 to 2147483647";
    for (pointer, value, message) in [
        (
            "/order/events".to_owned(),
            json!([]),
            "order.order.events: an order has a step at least",
        ),
        (
            step(1, "status"),
            json!("received.testkit.requisition_craeted"),
            "order.order.events[1].status: unknown step of `received.testkit` in the third part of three: did you mean \
             `requisition_created`?",
        ),
        (
            step(1, "status"),
            json!("received.walk_in_test.ordered"),
            "order.order.events[1].status: is a step of another method: the order is of `testkit`",
        ),
        (
            step(1, "created_at"),
            json!("2026-05-01T09:59:59Z"),
            &format!("order.order.events[1].created_at: {order_of_steps}"),
        ),
        (
            step(2, "created_at"),
            json!("2026-05-03T12:00:01+02:00"),
            &format!("order.order.events[3].created_at: {order_of_steps}"),
        ),
        (
            step(2, "status"),
            json!("completed.testkit.completed"),
            &format!("order.order.events[3].created_at: {order_of_steps}"),
        ),
        (
            step(1, "id"),
            json!(1),
            "order.order.events[1].id: another step has the same id",
        ),
        (step(1, "id"), json!(0), &format!("order.order.events[1].id: {ids}")),
        (
            step(1, "id"),
            json!(i64::MAX),
            &format!("order.order.events[1].id: {ids}"),
        ),
        (
            "/order/status".to_owned(),
            json!("completed"),
            "order.order.status: is not that of the last step, `sample_with_lab`",
        ),
        (
            "/order/last_event/id".to_owned(),
            json!(3),
            "order.order.last_event: is not the last of the steps",
        ),
        (
            "/order/details/type".to_owned(),
            json!("secret"),
            "order.order.details.type: expected one of testkit, walk_in_test, at_home_phlebotomy, on_site_collection",
        ),
        (
            "/order/lab_test/id".to_owned(),
            json!(" "),
            "order.order.lab_test.id: must not be empty",
        ),
        (
            "/results/metadata/specimen_number".to_owned(),
            json!(""),
            "order.results.metadata.specimen_number: must not be empty",
        ),
        (
            "/results/results".to_owned(),
            json!([]),
            "order.results.results: a report has results, or says which are missing",
        ),
        (
            "/results/results/0/result/name".to_owned(),
            json!(""),
            "order.results.results[0].result.name: must not be empty",
        ),
    ] {
        assert_eq!(set(&pointer, value).expect_err(message), message);
    }
    let bounds = check(|record| {
        let result = &mut record["results"]["results"][0]["result"];
        (result["min_range_value"], result["max_range_value"]) = (json!(2), json!(1));
    });
    let message = "order.results.results[0].result.min_range_value: the lower bound is above the upper one";
    assert_eq!(bounds.expect_err(message), message);
}

#[test]
fn years_are_those_that_others_read() {
    for (pointer, value, path) in [
        ("/order/created_at", "+12026-05-01T10:00:00Z", "order.order.created_at"),
        (
            "/order/updated_at",
            "9999-12-31T23:00:00-08:00",
            "order.order.updated_at",
        ),
        (
            "/order/events/0/created_at",
            "-0001-01-01T00:00:00Z",
            "order.order.events[0].created_at",
        ),
        (
            "/order/patient_details/dob",
            "+11987-03-14",
            "order.order.patient_details.dob",
        ),
        (
            "/order/health_insurance/insured/dob",
            "-0001-03-14",
            "order.order.health_insurance.insured.dob",
        ),
        ("/order/activate_by", "+12026-06-01", "order.order.activate_by"),
        (
            "/order/consents/0/time_of_consent",
            "+12026-05-01T10:00:00Z",
            "order.order.consents[0].time_of_consent",
        ),
        (
            "/results/metadata/date_reported",
            "+12026-05-04T10:00:00Z",
            "order.results.metadata.date_reported",
        ),
        (
            "/results/results/0/date_reported",
            "+12026-05-04T10:00:00Z",
            "order.results.results[0].date_reported",
        ),
        (
            "/results/results/0/result/timestamp",
            "+12026-05-04T10:00:00Z",
            "order.results.results[0].result.timestamp",
        ),
    ] {
        let expected = format!("{path}: the year is not from 0000 to 9999");
        assert_eq!(set(pointer, json!(value)).expect_err(path), expected);
    }
}

/// An unknown field may be a misspelled one.
#[test]
fn an_unknown_field_is_refused() {
    let message = check(|record| record["order"]["patient_detials"] = json!({})).expect_err("is refused");
    assert!(
        message.starts_with("order.order: unknown field at column "),
        "{message}"
    );
    assert!(message.ends_with("did you mean `patient_details`?"), "{message}");
}
