//! Results of orders, as labs reported them, with values computed from them.

use chrono::{NaiveDate, Utc};
use wearlab_ingest::orders::{KeptResult, ReportMetadata, ReportedResults};
use wearlab_labs::patient::age;
use wearlab_models::{BiomarkerResult, LabResultMetadata, LabResults, Order, Uuid};
use wearlab_server::ApiError;
use wearlab_store::TeamId;

use super::response::no_order;
use crate::{Service, store_error};

impl Service {
    /// Reads an order with its results.
    pub(super) async fn reported(&self, team: TeamId, order_id: Uuid) -> Result<(Order, ReportedResults), ApiError> {
        let found = self.store()?.team(team).order_with_results(order_id).await;
        let (order, reported) = found.map_err(store_error)?.ok_or_else(no_order)?;
        let reported = reported.ok_or_else(|| ApiError::not_found("This order has no results yet."))?;
        Ok((order, reported))
    }

    /// Converts the results of an order for a response.
    pub(super) fn lab_results(&self, order: &Order, reported: &ReportedResults) -> LabResults {
        let with_value = self.forms.result_value.holds((self.now)());
        let results = reported.results.iter().map(|kept| biomarker(kept, with_value));
        let mut missing = reported.missing_results.clone();
        for result in &mut missing {
            result.slug.get_or_insert_with(|| slug(&result.name));
        }
        LabResults::builder()
            .metadata(metadata(order, reported))
            .results(results.collect())
            .maybe_missing_results((!missing.is_empty()).then_some(missing))
            .build()
    }
}

/// Creates an identifier from a name.
fn slug(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.join("-")
}

/// Converts a result, and compares it with its reference range.
fn biomarker(kept: &KeptResult, with_value: bool) -> BiomarkerResult {
    let result = kept.result.clone();
    let assessment = result.assess();
    let computed = assessment
        .interpretation
        .map(|interpretation| interpretation.as_str().into());
    let mut biomarker = BiomarkerResult::builder()
        .name(result.name)
        .maybe_slug(result.slug)
        .result(result.result)
        .type_(result.type_.clone())
        .result_type(result.type_)
        .maybe_unit(result.unit)
        .timestamp(result.timestamp.unwrap_or(kept.date_reported))
        .maybe_notes(result.notes)
        .maybe_reference_range(result.reference_range)
        .maybe_min_range_value(assessment.min_range_value)
        .maybe_max_range_value(assessment.max_range_value)
        .maybe_is_above_max_range(assessment.is_above_max_range)
        .maybe_is_below_min_range(assessment.is_below_min_range)
        .maybe_interpretation(result.interpretation.or(computed))
        .maybe_loinc(result.loinc)
        .maybe_loinc_slug(result.loinc_slug)
        .maybe_provider_id(result.provider_id)
        .build();
    #[expect(deprecated, reason = "it is sent for as long as the operator wants")]
    {
        biomarker.value = assessment.value.filter(|_| with_value);
    }
    biomarker
}

pub(super) fn metadata(order: &Order, reported: &ReportedResults) -> LabResultMetadata {
    let ReportMetadata {
        laboratory,
        provider,
        date_reported,
        date_collected,
        date_received,
        specimen_number,
        status,
        ..
    } = reported.metadata.clone();
    let patient = order.patient_details.as_ref();
    let dob = patient.map_or(NaiveDate::MIN, |patient| patient.dob);
    let on = date_collected.unwrap_or(date_reported).with_timezone(&Utc).date_naive();
    let name = patient.map(|patient| format!("{} {}", patient.first_name, patient.last_name));
    LabResultMetadata::builder()
        .age(age(dob, on).unwrap_or(0).to_string())
        .dob(dob)
        .patient(name.unwrap_or_default())
        .maybe_laboratory(laboratory.or_else(|| order.lab_test.lab.as_ref().map(|lab| lab.name.clone())))
        .maybe_provider(provider)
        .date_reported(date_reported)
        .maybe_date_collected(date_collected)
        .maybe_date_received(date_received)
        .specimen_number(specimen_number)
        .maybe_status(status)
        .maybe_interpretation(reported.interpretation())
        .build()
}
