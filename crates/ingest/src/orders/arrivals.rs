//! Lines that labs send. `Debug` shows nothing of a patient.

use std::fmt;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_labs::results::{self, Assessment, Measurement, ResultKey};
use wearlab_labs::status::Step;
use wearlab_models::{LabReportStatus, MissingResult, ResultInterpretation, ResultType};

use crate::line::at_most;
use crate::{LineError, filled, years};

/// Step of an order, or a correction of an earlier step.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabOrderUpdated {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the order.
    pub user_id: Uuid,
    /// Id of the order.
    pub order_id: Uuid,
    /// Step, such as `sample_with_lab.testkit.delivered_to_lab`.
    pub status: String,
    /// Time of the step. An existing step of this time is corrected.
    pub created_at: DateTime<FixedOffset>,
    /// Detail of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_detail: Option<String>,
    /// Lab's id of the sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_id: Option<String>,
    /// Notes of the lab on the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

impl LabOrderUpdated {
    pub(crate) fn check(&self) -> Result<(), LineError> {
        years::time("lab_order_updated.created_at", &self.created_at)?;
        filled("lab_order_updated.status", &self.status)?;
        for (name, text, most) in [
            ("status_detail", &self.status_detail, 1_000),
            ("sample_id", &self.sample_id, 1_000),
            ("notes", &self.notes, 100_000),
        ] {
            text.iter()
                .try_for_each(|text| at_most(&format!("lab_order_updated.{name}"), text, most))?;
        }
        match self.status.parse::<Step>() {
            Ok(_) => Ok(()),
            Err(error) => Err(LineError::new("lab_order_updated.status", error.to_string())),
        }
    }
}

impl fmt::Debug for LabOrderUpdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabOrderUpdated")
            .field("team_id", &self.team_id)
            .field("user_id", &self.user_id)
            .field("order_id", &self.order_id)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// Report of results of an order: some of them, all, or corrected ones.
///
/// Each replaces one of the same LOINC code (else slug, else name) that was not reported later.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabReport {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the order.
    pub user_id: Uuid,
    /// Id of the order.
    pub order_id: Uuid,
    /// Lab and time of the report.
    pub metadata: ReportMetadata,
    /// Reported results.
    pub results: Vec<ReportedResult>,
    /// Ordered results that will not come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_results: Vec<MissingResult>,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

impl LabReport {
    pub(crate) fn check(&self) -> Result<(), LineError> {
        let metadata = &self.metadata;
        let times = [
            ("date_reported", Some(&metadata.date_reported)),
            ("date_collected", metadata.date_collected.as_ref()),
            ("date_received", metadata.date_received.as_ref()),
        ];
        for (name, time) in times {
            let path = format!("lab_result.metadata.{name}");
            time.map_or(Ok(()), |time| years::time(&path, time))?;
        }
        filled("lab_result.metadata.specimen_number", &metadata.specimen_number)?;
        if self.results.is_empty() && self.missing_results.is_empty() {
            return Err(LineError::new(
                "lab_result.results",
                "a report has results, or says which are missing",
            ));
        }
        for (index, result) in self.results.iter().enumerate() {
            let path = format!("lab_result.results[{index}]");
            filled(&format!("{path}.name"), &result.name)?;
            if let Some(time) = &result.timestamp {
                years::time(&format!("{path}.timestamp"), time)?;
            }
            let bounds = [result.min_range_value, result.max_range_value];
            if let [Some(min), Some(max)] = bounds
                && min > max
            {
                return Err(LineError::new(
                    format!("{path}.min_range_value"),
                    "the lower bound is above the upper one",
                ));
            }
        }
        for (index, missing) in self.missing_results.iter().enumerate() {
            filled(&format!("lab_result.missing_results[{index}].name"), &missing.name)?;
        }
        Ok(())
    }
}

impl fmt::Debug for LabReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabReport")
            .field("team_id", &self.team_id)
            .field("user_id", &self.user_id)
            .field("order_id", &self.order_id)
            .field("results", &self.results.len())
            .finish_non_exhaustive()
    }
}

/// Lab and time of a report.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportMetadata {
    /// Laboratory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laboratory: Option<String>,
    /// Physician that the lab names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Time of the report.
    pub date_reported: DateTime<FixedOffset>,
    /// Time at which the sample was collected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_collected: Option<DateTime<FixedOffset>>,
    /// Time at which the lab received it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_received: Option<DateTime<FixedOffset>>,
    /// Lab's number of the specimen.
    pub specimen_number: String,
    /// Status: `partial` means that more results come. Without it, none do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<LabReportStatus>,
    /// Interpretation as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpretation: Option<ResultInterpretation>,
}

impl ReportMetadata {
    /// Returns whether more results come.
    pub fn is_partial(&self) -> bool {
        self.status == Some(LabReportStatus::Partial)
    }

    /// Adds the fields of an earlier report that this one omits.
    pub(super) fn complete(&mut self, earlier: Self) {
        self.laboratory = self.laboratory.take().or(earlier.laboratory);
        self.provider = self.provider.take().or(earlier.provider);
        self.date_collected = self.date_collected.or(earlier.date_collected);
        self.date_received = self.date_received.or(earlier.date_received);
    }
}

impl fmt::Debug for ReportMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportMetadata")
            .field("date_reported", &self.date_reported)
            .finish_non_exhaustive()
    }
}

/// Result as the lab reports it.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedResult {
    /// Name of the measured quantity.
    pub name: String,
    /// Identifier of the measured quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Result as text.
    pub result: String,
    /// Type of the text.
    #[serde(rename = "type", alias = "result_type")]
    pub type_: ResultType,
    /// Unit of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Time of the measurement; that of the report, if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime<FixedOffset>>,
    /// Notes of the lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Reference range as text, such as `3.5-5.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_range: Option<String>,
    /// Lower bound of the reference range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_range_value: Option<f64>,
    /// Upper bound of the reference range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_range_value: Option<f64>,
    /// Interpretation of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpretation: Option<ResultInterpretation>,
    /// LOINC code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loinc: Option<String>,
    /// Identifier of the LOINC term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loinc_slug: Option<String>,
    /// Lab's own id of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
}

impl ReportedResult {
    /// Returns the key that distinguishes it from other results of an order.
    pub(super) fn key(&self) -> ResultKey {
        ResultKey::new(self.loinc.as_deref(), self.slug.as_deref(), &self.name)
    }

    /// Returns the type of its text: a comment, if the type is unknown.
    pub fn result_type(&self) -> results::ResultType {
        let known = results::ResultType::ALL.into_iter();
        let mut of_name = known.filter(|known| known.as_str() == self.type_.as_str());
        of_name.next().unwrap_or(results::ResultType::Comment)
    }

    /// Assesses it by its reference range.
    pub fn assess(&self) -> Assessment {
        Measurement {
            result_type: self.result_type(),
            result: &self.result,
            unit: self.unit.as_deref(),
            min_range_value: self.min_range_value,
            max_range_value: self.max_range_value,
            reference_range: self.reference_range.as_deref(),
        }
        .assess()
    }
}

impl fmt::Debug for ReportedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Hides the tested marker.
        f.debug_struct("ReportedResult").finish_non_exhaustive()
    }
}
