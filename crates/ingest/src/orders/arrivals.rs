//! The lines that labs send. None shows anything of a patient in `Debug`.

use std::fmt;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_labs::results::{self, Assessment, Measurement, ResultKey};
use wearlab_labs::status::Step;
use wearlab_models::{LabReportStatus, MissingResult, ResultInterpretation, ResultType};

use crate::line::at_most;
use crate::{LineError, filled, years};

/// An order went a step further, or the lab corrects what it said of a step.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabOrderUpdated {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The order.
    pub order_id: Uuid,
    /// The step, such as `sample_with_lab.testkit.delivered_to_lab`.
    pub status: String,
    /// When it happened. A step that is known at this time is corrected.
    pub created_at: DateTime<FixedOffset>,
    /// More of what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_detail: Option<String>,
    /// The lab's id of the sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_id: Option<String>,
    /// Notes of the lab on the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
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

/// A lab reports results of an order: some of them, all, or corrected ones.
///
/// Each replaces one of the same LOINC code (else slug, else name) that was not reported later.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabReport {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The order.
    pub order_id: Uuid,
    /// Who reports, and when.
    pub metadata: ReportMetadata,
    /// The results.
    pub results: Vec<ReportedResult>,
    /// What was ordered and will not come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_results: Vec<MissingResult>,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
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

/// Who reports results, and when.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportMetadata {
    /// The laboratory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laboratory: Option<String>,
    /// The physician that the lab names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// When the report was made.
    pub date_reported: DateTime<FixedOffset>,
    /// When the sample was collected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_collected: Option<DateTime<FixedOffset>>,
    /// When the lab received it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_received: Option<DateTime<FixedOffset>>,
    /// The lab's number of the specimen.
    pub specimen_number: String,
    /// `partial` says that more results come. Without it, none do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<LabReportStatus>,
    /// The interpretation as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpretation: Option<ResultInterpretation>,
}

impl ReportMetadata {
    /// Whether more results come.
    pub fn is_partial(&self) -> bool {
        self.status == Some(LabReportStatus::Partial)
    }

    /// Takes from an earlier report what this one does not say.
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

/// One result as the lab reports it.
#[derive(Clone, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedResult {
    /// The name of what was measured.
    pub name: String,
    /// The identifier of what was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The result as text.
    pub result: String,
    /// How to read the text.
    #[serde(rename = "type", alias = "result_type")]
    pub type_: ResultType,
    /// The unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// When it was measured; when it was reported, where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime<FixedOffset>>,
    /// Notes of the lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The reference range as text, such as `3.5-5.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_range: Option<String>,
    /// The lower bound of the reference range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_range_value: Option<f64>,
    /// The upper bound of the reference range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_range_value: Option<f64>,
    /// What the result means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpretation: Option<ResultInterpretation>,
    /// The LOINC code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loinc: Option<String>,
    /// The identifier of the LOINC term.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loinc_slug: Option<String>,
    /// The lab's own id of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
}

impl ReportedResult {
    /// What tells it from other results of an order.
    pub(super) fn key(&self) -> ResultKey {
        ResultKey::new(self.loinc.as_deref(), self.slug.as_deref(), &self.name)
    }

    /// How its text is read: as a comment, where its type is unknown.
    pub fn result_type(&self) -> results::ResultType {
        let known = results::ResultType::ALL.into_iter();
        let mut of_name = known.filter(|known| known.as_str() == self.type_.as_str());
        of_name.next().unwrap_or(results::ResultType::Comment)
    }

    /// What follows from it and its reference range.
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
        // What somebody was tested for does not show.
        f.debug_struct("ReportedResult").finish_non_exhaustive()
    }
}
