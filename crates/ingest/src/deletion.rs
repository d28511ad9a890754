//! Deletions that arrive: which data are no longer to be kept.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_models::ResourceName;

use crate::{ArrivalSource, DataKind, LineError};

/// Data of a resource that are no longer to be kept: one summary, the summaries of a span of days, or the samples of a span of
/// time.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataDeleted {
    /// The team of the user.
    pub team_id: Uuid,
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// The resource.
    pub resource: ResourceName,
    /// Where the provider had them from; those of all its sources where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ArrivalSource>,
    /// The id of a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Uuid>,
    /// The first day of summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<NaiveDate>,
    /// The last day of summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_date: Option<NaiveDate>,
    /// The start of the span of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<DateTime<FixedOffset>>,
    /// The end of the span of samples, which is not in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<DateTime<FixedOffset>>,
    /// An id of the sender's, the same whenever this arrival is sent again. It is remembered for a week.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_id: Option<String>,
}

/// What of the data of a resource is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// A summary, by its id.
    Summary(Uuid),
    /// The summaries of days, the first and the last one.
    Days(NaiveDate, NaiveDate),
    /// The samples from a time on until another one, in µs since 1970.
    Span(i64, i64),
}

impl DataDeleted {
    /// What is deleted.
    ///
    /// # Errors
    ///
    /// Where it is not said, said in several ways, or not in the one of the resource.
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
