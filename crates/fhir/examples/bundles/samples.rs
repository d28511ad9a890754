//! Sample orders with their results, one for each kind of bundle.

use serde_json::{Value, json};
use wearlab_models::{LabResults, Order};

/// Returns the samples, by name.
pub(crate) fn all() -> Vec<(&'static str, Order, LabResults)> {
    let sample = |name, order: Value, results: Value| (name, read_order(order), read_results(results));
    vec![
        sample("numeric", order(), results(json!([ldl(), glucose()]))),
        sample("minimal", minimal_order(), minimal_results()),
        sample(
            "comparators",
            order(),
            results(json!([
                result("<0.5", "numeric"),
                result("> 90", "numeric"),
                result("≤3", "range"),
                result(">=1.50", "numeric"),
            ])),
        ),
        sample(
            "texts",
            order(),
            results(json!([
                result("Hemolyzed; see note", "comment"),
                result("not a number", "numeric"),
                result("", "numeric"),
                result("0.12345678901234567890", "numeric"),
            ])),
        ),
        sample(
            "coded",
            order(),
            results(json!([result("Reactive", "coded_value"), result("5-10", "range")])),
        ),
        sample(
            "corrected",
            order(),
            with(results(json!([ldl()])), "/metadata", json!({"status": "corrected"})),
        ),
        sample(
            "missing",
            order(),
            with(
                results(json!([])),
                "",
                json!({"missing_results": [
                    {"name": "HDL Cholesterol", "slug": "hdl-cholesterol", "inferred_failure_type": "quantity_not_sufficient",
                     "note": "Too little blood", "loinc": "2085-9"},
                    {"name": "Iron", "inferred_failure_type": "unknown"},
                ]}),
            ),
        ),
        sample(
            "partial",
            with(order(), "", json!({"status": "sample_with_lab"})),
            with(
                results(json!([ldl()])),
                "/metadata",
                json!({"status": "partial", "interpretation": "unknown"}),
            ),
        ),
        sample(
            "several_tests",
            with(
                order(),
                "",
                json!({
                    "order_set": {"lab_test_ids": ["lipid-panel", "metabolic-panel"]}, "status": "cancelled", "priority": null,
                }),
            ),
            with(
                results(json!([critical()])),
                "/metadata",
                json!({"laboratory": "Harbor Reference Laboratory"}),
            ),
        ),
    ]
}

/// Returns an order with all members that a bundle uses.
pub(crate) fn order() -> Value {
    with(
        minimal_order(),
        "",
        json!({
            "patient_details": {
                "first_name": "Alma", "last_name": "Winters", "dob": "1990-01-01", "gender": "female",
                "phone_number": "+15035550142", "email": "alma.winters@example.com",
            },
            "patient_address": {
                "first_line": "17 Alder Street", "second_line": "Apartment 4", "city": "Portland", "state": "OR",
                "zip": "97205", "country": "US",
            },
            "physician": {"first_name": "Ines", "last_name": "Marlow", "npi": "1234567893", "email": "ines@example.com"},
            "priority": true,
            "icd_codes": ["E78.5", "i10", "S72001A"],
            "activate_by": "2026-03-20",
            "clinical_notes": "Fasting since midnight",
            "lab_test": {
                "id": "lipid-panel", "slug": "lipid-panel", "name": "Lipid panel", "sample_type": "dried_blood_spot",
                "method": "testkit", "price": 34.5, "is_active": true, "status": "active",
                "lab": {
                    "id": 4, "slug": "northlake", "name": "Northlake Diagnostics", "first_line_address": "200 Harbor Road",
                    "city": "Portland", "zipcode": "97201", "collection_methods": ["testkit"],
                    "sample_types": ["dried_blood_spot"],
                },
            },
        }),
    )
}

/// Returns an order with the required members only.
pub(crate) fn minimal_order() -> Value {
    let step = json!({"id": 1, "created_at": "2026-03-04T15:30:00+00:00", "status": "completed.testkit.completed"});
    json!({
        "id": "3f2b8c10-7d4e-4a56-9b21-0c8d7e6f5a43",
        "user_id": "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
        "team_id": "0c9e2d44-8a0b-4d5c-8f0e-7a1b2c3d4e5f",
        "lab_test": {
            "id": "lipid-panel", "slug": "lipid-panel", "name": "Lipid panel", "sample_type": "serum",
            "method": "testkit", "price": 34.5, "is_active": true, "status": "active",
        },
        "details": {"type": "testkit", "data": {}},
        "created_at": "2026-03-02T09:00:00+00:00",
        "updated_at": "2026-03-04T15:30:00+00:00",
        "events": [step],
        "status": "completed",
        "last_event": step,
        "has_abn": false,
    })
}

/// Returns results with all metadata.
pub(crate) fn results(results: Value) -> Value {
    let metadata = json!({
        "laboratory": "Northlake Diagnostics", "provider": "Ines Marlow", "status": "final",
        "date_collected": "2026-03-03T08:10:00-08:00", "date_received": "2026-03-03T20:00:00-08:00",
        "interpretation": "abnormal",
    });
    with(
        with(minimal_results(), "/metadata", metadata),
        "",
        json!({"results": results}),
    )
}

/// Returns the required members of results, without any result.
pub(crate) fn minimal_results() -> Value {
    json!({
        "metadata": {
            "age": "36", "dob": "1990-01-01", "patient": "Alma Winters", "date_reported": "2026-03-04T15:30:00+00:00",
            "specimen_number": "NL-20260303-0117",
        },
        "results": [],
    })
}

/// Returns a result of a type.
pub(crate) fn result(text: &str, kind: &str) -> Value {
    json!({"name": "Marker", "result": text, "type": kind, "unit": "mg/dL"})
}

/// Returns a value with the members of `patch` at a path.
pub(crate) fn with(mut value: Value, path: &str, patch: Value) -> Value {
    let target = value
        .pointer_mut(path)
        .and_then(Value::as_object_mut)
        .expect("an object");
    let Value::Object(patch) = patch else {
        panic!("an object is patched with an object")
    };
    target.extend(patch);
    value
}

/// Parses an order.
pub(crate) fn read_order(order: Value) -> Order {
    serde_json::from_value(order).expect("an order")
}

/// Parses results, in which the type of a result occurs once.
pub(crate) fn read_results(mut results: Value) -> LabResults {
    for result in results["results"].as_array_mut().into_iter().flatten() {
        result["result_type"] = result["type"].clone();
    }
    serde_json::from_value(results).expect("results")
}

fn ldl() -> Value {
    json!({
        "name": "LDL Cholesterol", "slug": "ldl-cholesterol", "result": "131", "type": "numeric", "unit": "mg/dL",
        "timestamp": "2026-03-04T15:00:00+00:00", "reference_range": "<100", "max_range_value": 100,
        "is_above_max_range": true, "interpretation": "abnormal", "loinc": "13457-7",
        "loinc_slug": "cholesterol-in-ldl", "provider_id": "R-13457", "notes": "Calculated",
    })
}

fn glucose() -> Value {
    json!({
        "name": "Glucose", "result": "5.10", "type": "numeric", "unit": "furlongs per fortnight", "min_range_value": 3.9,
        "max_range_value": 5.5, "is_above_max_range": false, "interpretation": "normal", "loinc": "not-a-code",
    })
}

fn critical() -> Value {
    json!({
        "name": "Leukocytes", "result": "0.4", "type": "numeric", "unit": "K/uL", "min_range_value": 4.0,
        "is_below_min_range": true, "interpretation": "critical", "loinc": "6690-2",
    })
}
