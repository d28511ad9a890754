//! DiagnosticReport: the report of all results.

use serde_json::{Value, json};
use wearlab_models::{LabReportStatus, ResultInterpretation};

use crate::concepts::{concept, laboratory_report};
use crate::dates::instant;
use crate::links::{identifier, reference};
use crate::source::Source;

pub(crate) fn resource(source: &Source<'_>) -> Value {
    let (order, links) = (source.order, &source.links);
    let metadata = &source.results.metadata;
    let interpretation = metadata.interpretation.as_ref().or(order.interpretation.as_ref());
    json!({
        "resourceType": "DiagnosticReport",
        "identifier": [identifier(links.report)],
        "basedOn": [reference(links.request)],
        "status": status(metadata.status.as_ref()),
        "category": [concept("http://terminology.hl7.org/CodeSystem/v2-0074", "LAB", "Laboratory")],
        "code": laboratory_report(&order.lab_test.name),
        "subject": reference(links.patient),
        "effectiveDateTime": instant(metadata.date_collected.unwrap_or(metadata.date_reported)),
        "issued": instant(metadata.date_reported),
        "performer": [reference(links.performer())],
        "specimen": [reference(links.specimen)],
        "result": links.observations.iter().map(|id| reference(*id)).collect::<Vec<_>>(),
        "conclusion": interpretation.and_then(conclusion),
    })
}

/// Returns the status of the report. Without a status of the lab, no more results come.
fn status(status: Option<&LabReportStatus>) -> &'static str {
    match status {
        Some(LabReportStatus::Partial) => "partial",
        Some(LabReportStatus::Corrected) => "corrected",
        _ => "final",
    }
}

fn conclusion(interpretation: &ResultInterpretation) -> Option<&'static str> {
    match interpretation {
        ResultInterpretation::Normal => Some("Normal"),
        ResultInterpretation::Abnormal => Some("Abnormal"),
        ResultInterpretation::Critical => Some("Critical"),
        _ => None,
    }
}
