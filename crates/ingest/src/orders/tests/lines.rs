//! Tests of lines of labs: each mistake with its location, and `Debug` without values.

use serde_json::{Value, json};

use crate::ValidArrival;

const ID: &str = "00000000-0000-0000-0000-000000000001";

fn read(kind: &str, change: impl FnOnce(&mut Value)) -> Result<ValidArrival, String> {
    let mut fields = match kind {
        "lab_order_updated" => json!({
            "status": "sample_with_lab.testkit.delivered_to_lab", "created_at": "2026-05-01T10:00:00+02:00",
            "status_detail": "secret-detail", "sample_id": "secret-sample", "notes": "secret-notes", "arrival_id": "a",
        }),
        _ => json!({
            "metadata": {
                "laboratory": "secret-lab", "provider": "secret-provider", "date_reported": "2026-05-03T10:00:00Z",
                "date_collected": "2026-05-01T10:00:00Z", "date_received": "2026-05-02T10:00:00Z",
                "specimen_number": "secret-specimen", "status": "partial", "interpretation": "abnormal",
            },
            "results": [
                {"name": "secret-name", "result": "secret-result", "type": "coded_value", "notes": "secret-note"},
                {
                    "name": "Glucose", "slug": "glucose", "result": "5.5", "type": "numeric", "unit": "secret-unit",
                    "timestamp": "2026-05-02T10:00:00Z", "reference_range": "secret-range", "min_range_value": 3.5,
                    "max_range_value": 3.5, "interpretation": "critical", "loinc": "2345-7", "loinc_slug": "glucose",
                    "provider_id": "secret-id",
                },
            ],
            "missing_results": [{"name": "secret-missing", "inferred_failure_type": "secret-type", "note": "secret-why"}],
            "arrival_id": "a",
        }),
    };
    for name in ["team_id", "user_id", "order_id"] {
        fields[name] = json!(ID);
    }
    change(&mut fields);
    ValidArrival::read(&json!({ kind: fields }).to_string()).map_err(|error| error.to_string())
}

fn remove(fields: &mut Value, name: &str) {
    fields.as_object_mut().expect("an object").remove(name);
}

#[test]
fn good_lines_come_out_as_they_went_in() {
    for kind in ["lab_order_updated", "lab_result"] {
        let arrival = read(kind, |_| ()).expect(kind);
        assert_eq!(arrival.kind(), kind);
        assert_eq!(arrival.arrival_id(), Some("a"));
        let line = serde_json::to_string(&arrival).expect("JSON");
        assert_eq!(ValidArrival::read(&line).expect("a line"), arrival);
    }
    // Optional fields may be absent.
    read("lab_order_updated", |fields| {
        for name in ["status_detail", "sample_id", "notes", "arrival_id"] {
            remove(fields, name);
        }
    })
    .expect("less");
    for emptied in ["results", "missing_results"] {
        read("lab_result", |fields| fields[emptied] = json!([])).expect(emptied);
    }
    read("lab_result", |fields| {
        fields["metadata"] = json!({"date_reported": "0000-01-01T00:00:00Z", "specimen_number": "1"});
        fields["results"] = json!([{"name": "n", "result": "", "type": "brand_new", "interpretation": "brand_new"}]);
        remove(fields, "missing_results");
    })
    .expect("values of tomorrow");
}

#[test]
fn nothing_of_a_patient_shows() {
    for kind in ["lab_order_updated", "lab_result"] {
        let shown = format!("{:?}", read(kind, |_| ()).expect(kind));
        for secret in ["secret", "Glucose", "glucose", "5.5", "2345", "critical", "abnormal"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        assert!(shown.contains(ID), "{shown}");
    }
    let arrival = read("lab_result", |_| ()).expect("a report");
    let crate::Arrival::LabResult(report) = &*arrival else {
        panic!("{arrival:?}")
    };
    let kept = super::super::ReportedResults::of(report);
    let shown = format!("{kept:?} {:?} {:?} {:?}", kept.results, report.results, report.metadata);
    assert!(!shown.contains("secret") && !shown.contains("Glucose"), "{shown}");
}

type Fault = (&'static str, fn(&mut Value), &'static str);

const YEAR: &str = "the year is not from 0000 to 9999";

/// Invalid lines, and the message about each.
const FAULTS: &[Fault] = &[
    (
        "lab_order_updated",
        |fields| fields["status"] = json!("sample_with_lab.testkit.deliverd_to_lab"),
        "lab_order_updated.status: unknown step of `sample_with_lab.testkit` in the third part of three: did you mean \
         `delivered_to_lab`?",
    ),
    (
        "lab_order_updated",
        |fields| fields["status"] = json!("sample_with_lab.test_kit.delivered_to_lab"),
        "lab_order_updated.status: unknown method in the second part of three: did you mean `testkit`?",
    ),
    (
        "lab_order_updated",
        |fields| fields["status"] = json!("received.testkit.delivered_to_lab"),
        "lab_order_updated.status: `delivered_to_lab` is a step of another status: did you mean \
         `sample_with_lab.testkit.delivered_to_lab`?",
    ),
    (
        "lab_order_updated",
        |fields| fields["status"] = json!("delivered_to_lab"),
        "lab_order_updated.status: expected `status.method.step`, three parts with a dot between them; found 1",
    ),
    (
        "lab_order_updated",
        |fields| fields["status"] = json!(" "),
        "lab_order_updated.status: must not be empty",
    ),
    (
        "lab_order_updated",
        |fields| fields["created_at"] = json!("+12026-05-01T10:00:00Z"),
        "lab_order_updated.created_at: the year is not from 0000 to 9999",
    ),
    (
        "lab_order_updated",
        |fields| fields["arrival_id"] = json!(""),
        "lab_order_updated.arrival_id: must not be empty",
    ),
    (
        "lab_order_updated",
        |fields| remove(fields, "order_id"),
        "lab_order_updated: missing field `order_id`",
    ),
    (
        "lab_result",
        |fields| fields["arrival_id"] = json!(" "),
        "lab_result.arrival_id: must not be empty",
    ),
    (
        "lab_result",
        |fields| {
            fields["results"] = json!([]);
            fields["missing_results"] = json!([]);
        },
        "lab_result.results: a report has results, or says which are missing",
    ),
    (
        "lab_result",
        |fields| fields["results"][1]["name"] = json!(""),
        "lab_result.results[1].name: must not be empty",
    ),
    (
        "lab_result",
        |fields| fields["results"][1]["min_range_value"] = json!(3.6),
        "lab_result.results[1].min_range_value: the lower bound is above the upper one",
    ),
    (
        "lab_result",
        |fields| fields["metadata"]["specimen_number"] = json!("\t"),
        "lab_result.metadata.specimen_number: must not be empty",
    ),
    (
        "lab_result",
        |fields| fields["missing_results"][0]["name"] = json!(" "),
        "lab_result.missing_results[0].name: must not be empty",
    ),
];

#[test]
fn a_mistake_is_refused_with_its_location() {
    for (kind, change, message) in FAULTS {
        assert_eq!(read(kind, change).expect_err(message), *message);
    }
    for name in ["date_reported", "date_collected", "date_received"] {
        let error = read("lab_result", |fields| {
            fields["metadata"][name] = json!("-0001-05-01T10:00:00Z")
        });
        assert_eq!(error.expect_err(name), format!("lab_result.metadata.{name}: {YEAR}"));
    }
    // The year in UTC counts, too.
    let error = read("lab_result", |fields| {
        fields["results"][1]["timestamp"] = json!("9999-12-31T23:00:00-08:00");
    });
    assert_eq!(
        error.expect_err("a year"),
        format!("lab_result.results[1].timestamp: {YEAR}")
    );
}

/// The message about an unknown field names the nearest one; that about a value omits its text.
#[test]
fn what_is_of_another_form_is_named_without_its_text() {
    type Form = (&'static str, fn(&mut Value), &'static str, &'static str);
    const FORMS: &[Form] = &[
        (
            "lab_order_updated",
            |fields| fields["note"] = json!("secret"),
            "lab_order_updated: unknown field",
            "`notes`",
        ),
        (
            "lab_result",
            |fields| fields["result"] = json!("secret"),
            "lab_result: unknown field",
            "`results`",
        ),
        (
            "lab_result",
            |fields| fields["metadata"]["specimen"] = json!("secret"),
            "lab_result.metadata: unknown field",
            "`specimen_number`",
        ),
        (
            "lab_result",
            |fields| fields["results"][1]["max_range"] = json!(7),
            "lab_result.results[1]: unknown field",
            "`max_range_value`",
        ),
        (
            "lab_result",
            |fields| fields["results"][1]["min_range_value"] = json!("secret"),
            "lab_result.results[1].min_range_value: expected",
            "",
        ),
        (
            "lab_result",
            |fields| fields["results"][0]["result"] = json!(5),
            "lab_result.results[0].result: expected",
            "",
        ),
        (
            "lab_order_updated",
            |fields| fields["created_at"] = json!("secret"),
            "lab_order_updated.created_at: expected",
            "",
        ),
    ];
    for (kind, change, begins, contains) in FORMS {
        let message = read(kind, change).expect_err(begins);
        assert!(message.starts_with(begins) && message.contains(contains), "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
}
