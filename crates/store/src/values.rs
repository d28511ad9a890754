//! What is read of the data of users.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::ResourceName;

/// Which samples are read.
#[derive(Clone, Debug)]
pub struct SampleFilter<'a> {
    /// The time series.
    pub resource: &'a ResourceName,
    /// The span of their times, in µs since 1970.
    pub span: Range<i64>,
    /// Those of one provider, or of all of them.
    pub provider: Option<&'a str>,
    /// Those behind a position.
    pub after: Option<&'a SamplePosition>,
}

/// A page of samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplePage {
    /// The samples by provider and source, in the order of these.
    pub groups: Vec<SampleGroup>,
    /// Where the next page begins; none after the last one.
    pub next: Option<SamplePosition>,
}

/// Samples of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleGroup {
    /// The slug of the provider.
    pub provider: String,
    /// Where the provider has them from.
    pub source: ArrivalSource,
    /// The samples, in order of time and type.
    pub samples: Vec<Sample>,
}

/// A place in the order of samples: behind one of them, whether that is still there or not.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SamplePosition {
    /// The slug of the provider.
    pub(crate) provider: String,
    /// The source, as it is kept.
    pub(crate) source: String,
    pub(crate) time: i64,
    pub(crate) kind: Option<String>,
}

impl SamplePosition {
    /// Whether it is before a sample of a time and a type.
    pub(crate) fn is_before(&self, time: i64, kind: Option<&str>) -> bool {
        (self.time, self.kind.as_deref()) < (time, kind)
    }
}

/// A session of sleep, or a workout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The user.
    pub user_id: Uuid,
    /// The slug of the provider.
    pub provider: String,
    /// Where the provider has its summary from.
    pub source: ArrivalSource,
    /// When it began, in µs since 1970.
    pub start: i64,
    /// When it ended, in µs since 1970.
    pub end: i64,
}
