//! Orders of lab tests: those of each team of a running service, requests for new ones, and arrivals of labs.

use serde_json::{Value, json};
use wearlab_models::Uuid;
use wearlab_store::Record;

use crate::Running;
use crate::values::{self, DAY, Optional};

/// Returns the id of the completed order of a user of a [`Running`] service.
pub fn order_of(user: Uuid) -> Uuid {
    Uuid::from_u128(user.as_u128().wrapping_add(4))
}

/// LOINC code of the result of a user's completed order.
pub const LOINC: &str = "2093-3";

/// Returns the completed order of a user, with results, as a record.
pub fn completed(team: Uuid, user: Uuid) -> Record {
    let ordered = step(1, 6, "received.walk_in_test.ordered");
    let done = step(2, 20, "completed.walk_in_test.completed");
    let result = json!({"name": "Cholesterol", "result": "199", "type": "numeric", "unit": "mg/dL", "loinc": LOINC,
        "max_range_value": 200.0});
    let results = json!({
        "metadata": {"date_reported": done["created_at"], "specimen_number": "S-1", "status": "final"},
        "results": [{"date_reported": done["created_at"], "result": result}],
    });
    let order = order(team, user, order_of(user), &[ordered, done]);
    let record = json!({"order": {"order": order, "results": results}});
    serde_json::from_value(record).expect("a record")
}

/// Returns a new order of a user, as a record.
pub fn received(team: Uuid, user: Uuid, id: Uuid) -> Record {
    let ordered = step(1, 6, "received.walk_in_test.ordered");
    let record = json!({"order": {"order": order(team, user, id, &[ordered])}});
    serde_json::from_value(record).expect("a record")
}

fn step(id: u32, hour: u32, status: &str) -> Value {
    json!({"id": id, "created_at": format!("{DAY}T{hour:02}:00:00Z"), "status": status})
}

fn order(team: Uuid, user: Uuid, id: Uuid, steps: &[Value]) -> Value {
    let last = steps.last().expect("a step");
    let status = last["status"].as_str().and_then(|status| status.split('.').next());
    json!({
        "id": id, "user_id": user, "team_id": team,
        "patient_details": patient(), "patient_address": address(),
        "lab_test": {"id": "lipid-panel", "slug": "lipid-panel", "name": "Lipid panel", "sample_type": "serum",
            "method": "walk_in_test", "price": 34.5, "is_active": true, "status": "active"},
        "details": {"type": "walk_in_test", "data": {}},
        "created_at": steps[0]["created_at"], "updated_at": last["created_at"],
        "events": steps, "status": status, "last_event": last, "has_abn": false,
    })
}

/// Returns orders of a user with all fields and with none, and lab tests with all fields and with none, as records.
/// Together they have all values of all enums.
pub fn variants(team: Uuid, user: Uuid) -> Vec<Record> {
    let mut records = Vec::new();
    for (number, optional) in (0..6)
        .map(Optional::Given)
        .chain([Optional::Missing, Optional::Bare(1), Optional::Bare(2)])
        .enumerate()
    {
        let object = |schema: &str| Value::Object(values::sent(schema, optional));
        let id = |of: u128| Uuid::from_u128(user.as_u128().wrapping_add(of * 100 + number as u128));
        let mut test = object("LabTest");
        let markers = test.as_object_mut().and_then(|test| test.remove("markers"));
        let markers = optional_list(markers, optional);
        let mut details = test.clone();
        for name in ["id", "name", "of_no_schema"] {
            details.as_object_mut().and_then(|details| details.remove(name));
        }
        records.push(
            json!({"lab_test": {"lab_test_id": format!("variant-{number}"), "name": "Variant",
            "markers": markers, "details": details}}),
        );

        let mut order = object("Order");
        for (name, value) in [
            ("id", json!(id(1))),
            ("user_id", json!(user)),
            ("team_id", json!(team)),
            ("created_at", json!(format!("{DAY}T06:00:00Z"))),
            ("updated_at", json!(format!("{DAY}T07:00:00Z"))),
            ("requisition_form_url", Value::Null),
        ] {
            order[name] = value;
        }
        records.push(json!({"order": {"order": order, "results": results(optional)}}));
    }
    let records = records.into_iter();
    records
        .map(|record| serde_json::from_value(record).expect("a record"))
        .collect()
}

/// Returns markers with ids of their own.
fn optional_list(markers: Option<Value>, optional: Optional) -> Value {
    let mut markers = markers.unwrap_or_else(|| json!([values::sent("Marker", optional)]));
    markers[0]["id"] = match optional {
        Optional::Given(_) => json!(9_001),
        Optional::Missing => json!(9_002),
        Optional::Bare(depth) => json!(9_002 + depth),
        Optional::Null => json!(9_009),
    };
    if let Optional::Given(_) = optional {
        // The same marker in all lab tests.
        let same = Value::Object(values::sent("Marker", Optional::Given(0)));
        markers[0] = same;
        markers[0]["id"] = json!(9_001);
    }
    markers
}

/// Returns results of a lab, with all optional fields or with none.
fn results(optional: Optional) -> Value {
    let reported = format!("{DAY}T20:00:00Z");
    let mut metadata = Value::Object(values::sent("LabResultMetadata", optional));
    for name in ["age", "dob", "patient", "of_no_schema"] {
        metadata.as_object_mut().and_then(|metadata| metadata.remove(name));
    }
    metadata["date_reported"] = json!(reported);
    let mut result = Value::Object(values::sent("BiomarkerResult", optional));
    for name in [
        "result_type",
        "value",
        "is_above_max_range",
        "is_below_min_range",
        "of_no_schema",
    ] {
        result.as_object_mut().and_then(|result| result.remove(name));
    }
    if let Optional::Given(_) = optional {
        result["result"] = json!("3");
    }
    let missing = match optional {
        Optional::Given(_) => json!([
            values::sent("MissingResult", optional),
            values::sent("MissingResult", Optional::Missing)
        ]),
        _ => json!([]),
    };
    json!({"metadata": metadata, "results": [{"date_reported": reported, "result": result}],
        "missing_results": missing})
}

/// Returns a valid patient.
pub fn patient() -> Value {
    json!({"first_name": "Alma", "last_name": "Winters", "dob": "1990-01-01", "gender": "female",
        "phone_number": "+15035550142", "email": "alma.winters@example.com"})
}

/// Returns a valid address.
pub fn address() -> Value {
    json!({"first_line": "17 Alder Street", "city": "Portland", "state": "OR", "zip": "97205", "country": "US"})
}

/// Returns the body of a request for a new order of a lab test.
pub fn new(user: Uuid, lab_test_id: &str) -> Value {
    json!({"user_id": user, "patient_details": patient(), "patient_address": address(),
        "order_set": {"lab_test_ids": [lab_test_id]}})
}

/// Creates an order of a lab test, and returns its id.
pub async fn create(running: &Running, key: &str, body: &Value) -> Uuid {
    let request = crate::http().post(format!("{}/v3/order", running.url));
    let response = request.header("x-service-api-key", key).json(body).send().await;
    let response = response.expect("a response");
    let status = response.status();
    let body: Value = response.json().await.expect("JSON");
    assert_eq!(status, 201, "{body}");
    body["order"]["id"]
        .as_str()
        .and_then(|id| id.parse().ok())
        .expect("an id")
}
