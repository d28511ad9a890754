//! Properties that FHIR requires of every bundle, for arbitrary orders and results.

use std::collections::BTreeSet;

use crate::samples::{self, order, read_order, read_results, results, with};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wearlab_models::{LabResults, Order};

proptest! {
    #[test]
    fn references_resolve_and_nothing_is_empty(order in orders(), results in all_results()) {
        check(&read_order(order), &read_results(results))?;
    }
}

#[test]
fn the_bundles_of_the_example() {
    for (name, order, results) in samples::all() {
        check(&order, &results).expect(name);
    }
}

fn check(order: &Order, results: &LabResults) -> Result<(), TestCaseError> {
    let bundle = wearlab_fhir::bundle(order, results);
    let entries = bundle["entry"].as_array().expect("entries");
    let mut urls = BTreeSet::new();
    for entry in entries {
        let url = entry["fullUrl"].as_str().expect("a URL");
        prop_assert!(urls.insert(url), "{} is there twice", url);
        prop_assert_eq!(
            url,
            format!("urn:uuid:{}", entry["resource"]["id"].as_str().expect("an id"))
        );
    }
    let mut references = 0;
    let mut problem = None;
    each("Bundle", &bundle, &mut |name, value| match value {
        Value::Null => problem = Some(format!("{name} is null")),
        Value::Array(items) if items.is_empty() => problem = Some(format!("{name} is an empty list")),
        Value::Object(members) if members.is_empty() => problem = Some(format!("{name} is an empty object")),
        Value::String(text) if text.trim().is_empty() => problem = Some(format!("{name} is an empty text")),
        Value::String(text) if name == "reference" => {
            references += 1;
            if !urls.contains(text.as_str()) {
                problem = Some(format!("{text} leads nowhere"));
            }
        }
        _ => {}
    });
    prop_assert_eq!(problem, None);
    let observations = results.results.len() + results.missing_results.iter().flatten().count();
    // Each refers to a patient and a request, and is in the report.
    prop_assert!(references >= 3 * observations);
    entries.iter().try_for_each(|entry| required(&entry["resource"]))
}

/// Checks requirements of R4 for the resources, beyond those of the walk.
fn required(resource: &Value) -> Result<(), TestCaseError> {
    let has = |name: &str| resource.get(name).is_some();
    match resource["resourceType"].as_str() {
        Some("Observation") => {
            prop_assert!(has("status") && has("code"));
            let values = resource
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, _)| name.starts_with("value"))
                .count();
            prop_assert_eq!(values + usize::from(has("dataAbsentReason")), 1, "obs-6, and one value");
            for range in resource["referenceRange"].as_array().into_iter().flatten() {
                prop_assert!(
                    range.get("low").or(range.get("high")).or(range.get("text")).is_some(),
                    "obs-3"
                );
            }
        }
        Some("DiagnosticReport") => prop_assert!(has("status") && has("code")),
        Some("ServiceRequest") => {
            prop_assert!(has("status") && has("intent") && has("subject"));
            prop_assert!(has("code") || !has("orderDetail"), "prr-1");
        }
        Some("Organization") => prop_assert!(has("name"), "org-1"),
        _ => {}
    }
    Ok(())
}

fn each(name: &str, value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    visit(name, value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| each(name, item, visit)),
        Value::Object(members) => members.iter().for_each(|(name, value)| each(name, value, visit)),
        _ => {}
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ \\x00\\t]{1,3}",
        "[<>≤≥]?=? ?-?[0-9]{0,12}\\.?[0-9]{0,20}",
        "[0-9]{1,4}-[0-9]",
        ".{0,12}",
    ]
}

fn nullable<T: Into<Value> + std::fmt::Debug + Clone>(
    strategy: impl Strategy<Value = T>,
) -> impl Strategy<Value = Value> {
    proptest::option::of(strategy).prop_map(|value| value.map_or(Value::Null, Into::into))
}

fn one_of(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::sample::select(texts).prop_map(str::to_owned)
}

/// Returns an object with a text, or null, for each name.
fn texts(names: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    vec(nullable(text()), names.len())
        .prop_map(move |values| names.iter().map(|name| (*name).to_owned()).zip(values).collect())
}

/// Removes members that are null.
fn present(members: Map<String, Value>) -> Value {
    members.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

fn orders() -> impl Strategy<Value = Value> {
    let patient = (vec(text(), 5), one_of(&["male", "female", "other", "x"])).prop_map(|(texts, gender)| {
        json!({
            "first_name": texts[0], "last_name": texts[1], "dob": "1990-01-01", "gender": gender,
            "phone_number": texts[2], "email": texts[3],
        })
    });
    let address = vec(text(), 5).prop_map(|texts| {
        json!({
            "first_line": texts[0], "second_line": texts[1], "city": texts[2], "state": texts[3], "zip": texts[4],
            "country": "US",
        })
    });
    let physician = vec(text(), 4).prop_map(|texts| {
        json!({
            "first_name": texts[0], "last_name": texts[1], "npi": texts[2], "email": texts[3],
        })
    });
    let lab = vec(text(), 4).prop_map(|texts| json!({
        "id": 4, "slug": "lab", "name": texts[0], "first_line_address": texts[1], "city": texts[2], "zipcode": texts[3],
        "collection_methods": [], "sample_types": [],
    }));
    let test = (vec(text(), 2), nullable(lab))
        .prop_map(|(texts, lab)| json!({"name": texts[0], "slug": texts[1], "lab": lab}));
    let set = vec(text(), 0..4).prop_map(|ids| json!({"lab_test_ids": ids}));
    let parts = (
        nullable(patient),
        nullable(address),
        nullable(physician),
        test,
        nullable(set),
        vec(text(), 0..3),
    );
    (
        parts,
        texts(&["clinical_notes"]),
        one_of(&["received", "failed", "lost"]),
    )
        .prop_map(|(parts, notes, status)| {
            let (patient, address, physician, test, set, codes) = parts;
            let members = json!({
                "patient_details": patient, "patient_address": address, "physician": physician, "order_set": set,
                "icd_codes": codes, "status": status,
            });
            with(with(with(order(), "/lab_test", test), "", members), "", present(notes))
        })
}

fn all_results() -> impl Strategy<Value = Value> {
    let metadata = texts(&["laboratory", "provider", "status", "interpretation"]);
    let result = (
        texts(&[
            "slug",
            "unit",
            "notes",
            "reference_range",
            "loinc",
            "loinc_slug",
            "provider_id",
        ]),
        (
            text(),
            text(),
            one_of(&["numeric", "range", "comment", "coded_value", "x"]),
        ),
        (
            nullable(any::<f64>()),
            nullable(-1000_i32..1000),
            nullable(any::<bool>()),
            nullable(any::<bool>()),
        ),
        nullable(one_of(&["normal", "abnormal", "critical", "x"])),
    );
    let result = result.prop_map(
        |(texts, (name, result, kind), (min, max, above, below), interpretation)| {
            let members = json!({
                "name": name, "result": result, "type": kind, "min_range_value": min, "max_range_value": max,
                "is_above_max_range": above, "is_below_min_range": below, "interpretation": interpretation,
            });
            with(present(texts), "", members)
        },
    );
    let missing = (texts(&["slug", "note", "loinc"]), text(), text()).prop_map(|(texts, name, reason)| {
        with(
            present(texts),
            "",
            json!({"name": name, "inferred_failure_type": reason}),
        )
    });
    let parts = (metadata, text(), text(), vec(result, 0..4), vec(missing, 0..3));
    parts.prop_map(|(metadata, patient, specimen, measured, missing)| {
        let names = json!({"patient": patient, "specimen_number": specimen});
        let results = with(results(json!(measured)), "", json!({"missing_results": missing}));
        with(with(results, "/metadata", present(metadata)), "/metadata", names)
    })
}
