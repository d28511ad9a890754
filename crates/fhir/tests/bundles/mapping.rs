//! Tests of the mapping of each member of an order and of results.

use crate::samples::{minimal_order, minimal_results, order, read_order, read_results, result, results, with};
use serde_json::{Value, json};
use wearlab_models::FhirBundle;

#[test]
fn a_bundle_is_of_its_time_and_of_an_order() {
    let bundle = bundle(order(), results(json!([result("1", "numeric")])));
    assert_eq!(bundle["resourceType"], "Bundle");
    assert_eq!(bundle["type"], "collection");
    assert_eq!(bundle["timestamp"], "2026-03-04T15:30:00Z");
    let kinds: Vec<_> = resources(&bundle)
        .map(|resource| resource["resourceType"].as_str().unwrap_or(""))
        .collect();
    let expected = [
        "Patient",
        "ServiceRequest",
        "DiagnosticReport",
        "Observation",
        "Specimen",
        "Practitioner",
        "Organization",
    ];
    assert_eq!(kinds, expected);
    let again = self::bundle(
        order(),
        results(json!([result("2", "numeric"), result("3", "numeric")])),
    );
    assert_eq!(
        one(&bundle, "Observation")["id"],
        one(&again, "Observation")["id"],
        "ids follow from the order's"
    );
}

#[test]
fn a_minimal_bundle_has_what_is_known() {
    let order = with(
        minimal_order(),
        "",
        json!({"lab_test": {
            "id": "x", "slug": "x", "name": "", "sample_type": "serum", "method": "testkit", "price": 1, "is_active": true,
            "status": "active",
        }}),
    );
    let bundle = bundle(
        order,
        with(minimal_results(), "/metadata", json!({"specimen_number": " "})),
    );
    let kinds: Vec<_> = resources(&bundle)
        .map(|resource| resource["resourceType"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(kinds, ["Patient", "ServiceRequest", "DiagnosticReport"]);
    let patient = one(&bundle, "Patient");
    assert_eq!(patient["name"], json!([{"text": "Alma Winters"}]));
    assert_eq!(patient["birthDate"], "1990-01-01");
    assert_eq!(one(&bundle, "ServiceRequest")["code"], json!({"text": "x"}));
    let report = one(&bundle, "DiagnosticReport");
    assert_eq!(
        (&report["status"], &report["effectiveDateTime"]),
        (&json!("final"), &json!("2026-03-04T15:30:00Z"))
    );
}

#[test]
fn the_patient() {
    let bundle = bundle(order(), minimal_results());
    let patient = one(&bundle, "Patient");
    assert_eq!(
        patient["identifier"][0]["value"],
        "urn:uuid:5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11"
    );
    assert_eq!(
        patient["name"],
        json!([{"use": "official", "family": "Winters", "given": ["Alma"]}])
    );
    assert_eq!(patient["gender"], "female");
    assert_eq!(
        patient["telecom"][0],
        json!({"system": "phone", "value": "+15035550142"})
    );
    assert_eq!(
        patient["telecom"][1],
        json!({"system": "email", "value": "alma.winters@example.com"})
    );
    let address = json!([{
        "use": "home", "line": ["17 Alder Street", "Apartment 4"], "city": "Portland", "state": "OR",
        "postalCode": "97205", "country": "US",
    }]);
    assert_eq!(patient["address"], address);
    for (given, gender) in [
        ("male", "male"),
        ("other", "other"),
        ("unknown", "unknown"),
        ("x", "unknown"),
    ] {
        let order = with(order(), "/patient_details", json!({"gender": given}));
        assert_eq!(
            one(&self::bundle(order, minimal_results()), "Patient")["gender"],
            gender
        );
    }
}

#[test]
fn the_order() {
    let bundle = bundle(order(), minimal_results());
    let request = one(&bundle, "ServiceRequest");
    assert_eq!(
        request["identifier"][0]["value"],
        "urn:uuid:3f2b8c10-7d4e-4a56-9b21-0c8d7e6f5a43"
    );
    assert_eq!(
        (&request["intent"], &request["priority"]),
        (&json!("order"), &json!("stat"))
    );
    assert_eq!(
        (&request["code"]["text"], &request["authoredOn"]),
        (&json!("Lipid panel"), &json!("2026-03-02T09:00:00Z"))
    );
    assert_eq!(request["occurrencePeriod"], json!({"end": "2026-03-20"}));
    assert_eq!(request["note"], json!([{"text": "Fasting since midnight"}]));
    assert_eq!(request["orderDetail"], Value::Null);
    let diagnosis = json!({"coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "E78.5"}]});
    assert_eq!(request["reasonCode"][0], diagnosis);
    let tests = json!({"order_set": {"lab_test_ids": ["a", "b"]}, "priority": false});
    let several = self::bundle(with(order(), "", tests), minimal_results());
    let request = one(&several, "ServiceRequest");
    assert_eq!(request["orderDetail"], json!([{"text": "a"}, {"text": "b"}]));
    assert_eq!(request["priority"], Value::Null);
    for (given, status) in [
        ("received", "active"),
        ("collecting_sample", "active"),
        ("sample_with_lab", "active"),
        ("completed", "completed"),
        ("cancelled", "revoked"),
        ("failed", "revoked"),
        ("lost", "unknown"),
    ] {
        let order = with(order(), "", json!({"status": given}));
        assert_eq!(
            one(&self::bundle(order, minimal_results()), "ServiceRequest")["status"],
            status
        );
    }
}

#[test]
fn who_ordered_and_who_reported() {
    let bundle = bundle(order(), results(json!([])));
    let physician = one(&bundle, "Practitioner");
    assert_eq!(
        physician["identifier"],
        json!([{"system": "http://hl7.org/fhir/sid/us-npi", "value": "1234567893"}])
    );
    assert_eq!(physician["name"], json!([{"family": "Marlow", "given": ["Ines"]}]));
    assert_eq!(one(&bundle, "Organization")["name"], "Northlake Diagnostics");
    assert_eq!(one(&bundle, "ServiceRequest")["requester"], reference(physician));

    let named = self::bundle(minimal_order(), results(json!([])));
    let physician = one(&named, "Practitioner");
    assert_eq!(physician["name"], json!([{"text": "Ines Marlow"}]));
    assert_eq!(one(&named, "ServiceRequest")["requester"], reference(physician));

    let other = with(results(json!([])), "/metadata", json!({"laboratory": "Harbor"}));
    let other = self::bundle(order(), other);
    let labs: Vec<_> = resources(&other)
        .filter(|resource| resource["resourceType"] == "Organization")
        .collect();
    assert_eq!(
        (&labs[0]["name"], &labs[1]["name"]),
        (&json!("Northlake Diagnostics"), &json!("Harbor"))
    );
    assert_eq!(one(&other, "ServiceRequest")["performer"], json!([reference(labs[0])]));
    assert_eq!(
        one(&other, "DiagnosticReport")["performer"],
        json!([reference(labs[1])])
    );
}

#[test]
fn the_report_and_the_specimen() {
    let bundle = bundle(
        order(),
        results(json!([result("1", "numeric"), result("2", "numeric")])),
    );
    let report = one(&bundle, "DiagnosticReport");
    let laboratory = json!([{"coding": [
        {"system": "http://terminology.hl7.org/CodeSystem/v2-0074", "code": "LAB", "display": "Laboratory"},
    ]}]);
    assert_eq!(report["category"], laboratory);
    assert_eq!(report["code"]["text"], "Lipid panel");
    assert_eq!(report["basedOn"], json!([reference(one(&bundle, "ServiceRequest"))]));
    assert_eq!(report["result"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["conclusion"], "Abnormal");
    assert_eq!(report["effectiveDateTime"], "2026-03-03T08:10:00-08:00");
    assert_eq!(report["issued"], "2026-03-04T15:30:00Z");
    let specimen = one(&bundle, "Specimen");
    assert_eq!(specimen["accessionIdentifier"], json!({"value": "NL-20260303-0117"}));
    assert_eq!(specimen["type"], json!({"text": "dried blood spot"}));
    assert_eq!(specimen["receivedTime"], "2026-03-03T20:00:00-08:00");
    assert_eq!(
        specimen["collection"],
        json!({"collectedDateTime": "2026-03-03T08:10:00-08:00"})
    );
    for (given, of_report, of_result) in [
        (json!("partial"), "partial", "preliminary"),
        (json!("corrected"), "corrected", "corrected"),
        (json!("final"), "final", "final"),
        (json!("new"), "final", "final"),
        (Value::Null, "final", "final"),
    ] {
        let results = with(
            results(json!([result("1", "numeric")])),
            "/metadata",
            json!({"status": given}),
        );
        let bundle = self::bundle(order(), results);
        assert_eq!(one(&bundle, "DiagnosticReport")["status"], of_report);
        assert_eq!(one(&bundle, "Observation")["status"], of_result);
    }
}

/// The service responds with this model.
#[test]
fn a_bundle_is_the_model_of_one() {
    let bundle = bundle(order(), results(json!([result("5.10", "numeric")])));
    let model: FhirBundle = serde_json::from_value(bundle.clone()).expect("a bundle");
    let mut written = serde_json::to_value(&model).expect("JSON");
    written["timestamp"] = bundle["timestamp"].clone();
    assert_eq!(written, bundle);
}

fn bundle(order: Value, results: Value) -> Value {
    wearlab_fhir::bundle(&read_order(order), &read_results(results))
}

fn resources(bundle: &Value) -> impl Iterator<Item = &Value> {
    bundle["entry"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| &entry["resource"])
}

fn one<'a>(bundle: &'a Value, kind: &str) -> &'a Value {
    resources(bundle)
        .find(|resource| resource["resourceType"] == kind)
        .expect(kind)
}

fn reference(resource: &Value) -> Value {
    json!({"reference": format!("urn:uuid:{}", resource["id"].as_str().expect("an id"))})
}
