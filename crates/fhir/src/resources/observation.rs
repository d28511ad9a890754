//! Observation: one result. Results that will not come are in [`missing`](super::missing).

use serde_json::{Map, Value, json};
use wearlab_models::{BiomarkerResult, LabReportStatus, ResultType};

use super::interpretation;
use crate::concepts::{concept, measured};
use crate::dates::instant;
use crate::decimal::number;
use crate::links::reference;
use crate::prune::is_blank;
use crate::quantity::{Unit, quantity, range};
use crate::source::Source;

/// Returns the members that all observations of a bundle have in common.
pub(super) fn common(source: &Source<'_>, status: &str, code: Value) -> Map<String, Value> {
    let links = &source.links;
    let metadata = &source.results.metadata;
    let category = concept(
        "http://terminology.hl7.org/CodeSystem/observation-category",
        "laboratory",
        "Laboratory",
    );
    let common = [
        ("resourceType", json!("Observation")),
        ("basedOn", json!([reference(links.request)])),
        ("status", json!(status)),
        ("category", json!([category])),
        ("code", code),
        ("subject", reference(links.patient)),
        (
            "effectiveDateTime",
            json!(instant(metadata.date_collected.unwrap_or(metadata.date_reported))),
        ),
        ("issued", json!(instant(metadata.date_reported))),
        ("performer", json!([reference(links.performer())])),
    ];
    common
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Creates the reason why an observation has no value.
pub(super) fn absent(code: &str, display: &str, text: Option<&str>) -> Value {
    let mut reason = concept(
        "http://terminology.hl7.org/CodeSystem/data-absent-reason",
        code,
        display,
    );
    reason["text"] = json!(text);
    reason
}

pub(crate) fn resource(source: &Source<'_>, result: &BiomarkerResult) -> Value {
    let texts = [
        Some(&*result.name),
        result.slug.as_deref(),
        result.loinc_slug.as_deref(),
    ];
    let code = measured(result.loinc.as_deref(), texts);
    let mut observation = common(source, status(source.results.metadata.status.as_ref()), code);
    if let Some(reported) = result.timestamp {
        observation.insert("issued".into(), json!(instant(reported)));
    }
    let unit = Unit::new(result.unit.as_deref());
    let (name, value) = value(result, unit);
    observation.insert(name.into(), value);
    observation.insert("interpretation".into(), interpretation::of(result));
    observation.insert("note".into(), json!([{"text": result.notes}]));
    observation.insert("specimen".into(), reference(source.links.specimen));
    observation.insert(
        "referenceRange".into(),
        json!([{
            "low": unit.quantity(result.min_range_value.and_then(number)),
            "high": unit.quantity(result.max_range_value.and_then(number)),
            "text": result.reference_range,
        }]),
    );
    Value::Object(observation)
}

/// Returns the value by its type. A text that does not match its type stays a text.
fn value(result: &BiomarkerResult, unit: Unit<'_>) -> (&'static str, Value) {
    if is_blank(&result.result) {
        return ("dataAbsentReason", absent("unknown", "Unknown", None));
    }
    let text = &*result.result;
    let quantity = || quantity(text, unit).map(|value| ("valueQuantity", value));
    let value = match result.type_ {
        ResultType::Numeric => quantity(),
        ResultType::Range => quantity().or_else(|| Some(("valueRange", range(text, unit)?))),
        ResultType::CodedValue => Some(("valueCodeableConcept", json!({"text": text}))),
        _ => None,
    };
    value.unwrap_or_else(|| ("valueString", json!(text)))
}

/// Returns the status: while more results come, earlier ones may still change.
fn status(status: Option<&LabReportStatus>) -> &'static str {
    match status {
        Some(LabReportStatus::Partial) => "preliminary",
        Some(LabReportStatus::Corrected) => "corrected",
        _ => "final",
    }
}
