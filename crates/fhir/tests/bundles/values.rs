//! Tests of results of each type, as Observations.

use crate::samples::{order, read_order, read_results, result, results, with};
use serde_json::{Value, json};

#[test]
fn a_result_has_its_code_value_range_and_interpretation() {
    let observation = observation(json!({
        "name": "LDL Cholesterol", "slug": "ldl-cholesterol", "result": "131", "type": "numeric", "unit": "mg/dl",
        "timestamp": "2026-03-04T15:00:00+00:00", "reference_range": "<100", "max_range_value": 100,
        "is_above_max_range": true, "interpretation": "abnormal", "loinc": "13457-7", "notes": "Calculated",
    }));
    let ldl = json!({"coding": [{"system": "http://loinc.org", "code": "13457-7"}], "text": "LDL Cholesterol"});
    assert_eq!(observation["code"], ldl);
    let mg =
        |value: i64| json!({"value": value, "unit": "mg/dl", "system": "http://unitsofmeasure.org", "code": "mg/dL"});
    assert_eq!(observation["valueQuantity"], mg(131));
    assert_eq!(
        observation["referenceRange"],
        json!([{"high": mg(100), "text": "<100"}])
    );
    assert_eq!(observation["interpretation"][0]["coding"][0]["code"], "H");
    assert_eq!(observation["note"], json!([{"text": "Calculated"}]));
    assert_eq!(observation["issued"], "2026-03-04T15:00:00Z");
    assert_eq!(observation["effectiveDateTime"], "2026-03-03T08:10:00-08:00");
    assert_eq!(observation["category"][0]["coding"][0]["code"], "laboratory");
}

#[test]
fn values_by_type() {
    for (text, kind, name, value) in [
        ("131", "numeric", "valueQuantity", json!(131)),
        ("<0.5", "numeric", "valueQuantity", json!(0.5)),
        (">90", "range", "valueQuantity", json!(90)),
        ("see note", "numeric", "valueString", Value::Null),
        ("0.12345678901234567890", "numeric", "valueString", Value::Null),
        ("5-10", "range", "valueRange", Value::Null),
        ("none seen", "range", "valueString", Value::Null),
        ("Reactive", "coded_value", "valueCodeableConcept", Value::Null),
        ("7", "comment", "valueString", Value::Null),
        ("7", "of another kind", "valueString", Value::Null),
        (" ", "numeric", "dataAbsentReason", Value::Null),
    ] {
        let observation = observation(result(text, kind));
        let names: Vec<_> = observation.as_object().expect("an object").keys().cloned().collect();
        let values: Vec<_> = names
            .iter()
            .filter(|name| name.starts_with("value") || *name == "dataAbsentReason")
            .collect();
        assert_eq!(values, [name], "{text} {kind}");
        match name {
            "valueString" => assert_eq!(observation[name], text),
            "valueCodeableConcept" => assert_eq!(observation[name], json!({"text": text})),
            _ => assert_eq!(observation[name]["value"], value, "{text} {kind}"),
        }
    }
}

#[test]
fn interpretations() {
    for (interpretation, above, below, code) in [
        (json!("normal"), json!(false), json!(false), Some("N")),
        (json!("abnormal"), Value::Null, Value::Null, Some("A")),
        (json!("abnormal"), json!(true), Value::Null, Some("H")),
        (json!("abnormal"), json!(false), json!(true), Some("L")),
        (json!("critical"), json!(true), Value::Null, Some("HH")),
        (json!("critical"), Value::Null, json!(true), Some("LL")),
        (json!("critical"), Value::Null, Value::Null, Some("AA")),
        (Value::Null, json!(true), Value::Null, Some("H")),
        (json!("abnormal"), json!(true), json!(true), Some("A")),
        (json!("unknown"), Value::Null, Value::Null, None),
        (json!("other"), Value::Null, Value::Null, None),
        (Value::Null, Value::Null, json!(false), None),
    ] {
        let flags = json!({"interpretation": interpretation, "is_above_max_range": above, "is_below_min_range": below});
        let observation = observation(with(result("1", "numeric"), "", flags.clone()));
        assert_eq!(
            observation["interpretation"][0]["coding"][0]["code"].as_str(),
            code,
            "{flags}"
        );
    }
}

#[test]
fn what_will_not_come_says_why() {
    let missing = json!({"missing_results": [
        {"name": "Iron", "inferred_failure_type": "quantity_not_sufficient", "note": "Too little", "loinc": "2498-4"},
        {"name": "Zinc", "inferred_failure_type": "unknown"},
    ]});
    let bundle = bundle(with(results(json!([])), "", missing));
    let missing: Vec<_> = observations(&bundle).collect();
    assert_eq!(missing[0]["status"], "cancelled");
    assert_eq!(missing[0]["code"]["coding"][0]["code"], "2498-4");
    assert_eq!(missing[0]["dataAbsentReason"]["coding"][0]["code"], "not-performed");
    assert_eq!(missing[0]["dataAbsentReason"]["text"], "quantity_not_sufficient");
    assert_eq!(missing[0]["note"], json!([{"text": "Too little"}]));
    assert_eq!(missing[1]["dataAbsentReason"]["coding"][0]["code"], "unknown");
}

fn bundle(results: Value) -> Value {
    wearlab_fhir::bundle(&read_order(order()), &read_results(results))
}

fn observations(bundle: &Value) -> impl Iterator<Item = &Value> {
    let resources = bundle["entry"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| &entry["resource"]);
    resources.filter(|resource| resource["resourceType"] == "Observation")
}

fn observation(result: Value) -> Value {
    let bundle = bundle(results(json!([result])));
    observations(&bundle).next().cloned().expect("an observation")
}
