//! Deletions of data at their provider.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::ResourceName;

use crate::{ArrivalSource, DataKind, LineError};

/// Deletion of data of a resource: one summary, the summaries of a span of days, or the samples of a span of time.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataDeleted {
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the data.
    pub user_id: Uuid,
    /// Slug of the provider.
    pub provider: String,
    /// Resource of the data.
    pub resource: ResourceName,
    /// Source of the data at the provider; all of its sources if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ArrivalSource>,
    /// Id of a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// First day of summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<NaiveDate>,
    /// Last day of summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_date: Option<NaiveDate>,
    /// Start of the span of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<DateTime<FixedOffset>>,
    /// Exclusive end of the span of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<DateTime<FixedOffset>>,
    /// Id that the sender assigned, the same whenever this arrival is sent again. It is stored for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// Deleted data of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Summary, by its id.
    Summary(Uuid),
    /// Summaries of days, from the first to the last one.
    Days(NaiveDate, NaiveDate),
    /// Samples of a span of time, without its end, in µs since 1970.
    Span(i64, i64),
}

impl DataDeleted {
    /// Returns the deleted data.
    ///
    /// # Errors
    ///
    /// Returns an error if none are named, or in several ways, or in a way of other resources.
    pub fn deletion(&self) -> Result<Deletion, LineError> {
        const WAYS: &str = "expected id, or start_date and end_date, of a summary, or start and end of a time series";
        let wrong = |field: &str, reason: &str| Err(LineError::new(format!("data_deleted{field}"), reason));
        let kind = DataKind::of(&self.resource);
        let is_summary = kind == DataKind::Summary;
        match (self.id, (self.start_date, self.end_date), (self.start, self.end)) {
            _ if kind == DataKind::Other => wrong(".resource", "no values of this resource are kept"),
            (Some(id), (None, None), (None, None)) if is_summary => Ok(Deletion::Summary(id)),
            (None, (Some(first), Some(last)), (None, None)) if is_summary => match first <= last {
                true => Ok(Deletion::Days(first, last)),
                false => wrong(".end_date", "must not be before start_date"),
            },
            (None, (None, None), (Some(start), Some(end))) if !is_summary => match start < end {
                true => Ok(Deletion::Span(start.timestamp_micros(), end.timestamp_micros())),
                false => wrong(".end", "must be after start"),
            },
            _ => wrong("", WAYS),
        }
    }
}
