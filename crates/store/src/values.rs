//! Reads of the data of users.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::{Encoded, ResourceName};

/// Filter of samples.
#[derive(Clone, Debug)]
pub struct SampleFilter<'a> {
    /// The time series.
    pub resource: &'a ResourceName,
    /// The span of sample times, in µs since 1970.
    pub span: Range<i64>,
    /// Only those of this provider.
    pub provider: Option<&'a str>,
    /// Only those after a position.
    pub after: Option<&'a SamplePosition>,
}

/// Summaries of some days.
#[derive(Clone, Debug)]
pub enum SummaryList<T> {
    /// The summaries.
    Whole(Vec<Encoded<T>>),
    /// Their ids, in the same order, if the summaries exceed the requested size:
    /// [`some_summaries`](crate::TeamStore::some_summaries) reads some of them.
    Ids(Vec<Uuid>),
}

/// A page of samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplePage {
    /// The samples by provider and source, in this order.
    pub groups: Vec<SampleGroup>,
    /// The position of the next page. None after the last one.
    pub next: Option<SamplePosition>,
}

/// Samples of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleGroup {
    /// The slug of the provider.
    pub provider: String,
    /// Source that the provider has the samples from.
    pub source: ArrivalSource,
    /// The samples, in order of time and type.
    pub samples: Vec<Sample>,
}

/// Position in the order of samples: after one of them, which may be deleted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SamplePosition {
    /// The slug of the provider.
    pub(crate) provider: String,
    /// The source, as it is stored.
    pub(crate) source: String,
    pub(crate) time: i64,
    pub(crate) kind: Option<String>,
}

impl SamplePosition {
    /// Returns whether the position is before a sample of a time and a type.
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
    /// Source that the provider has its summary from.
    pub source: ArrivalSource,
    /// Start time, in µs since 1970.
    pub start: i64,
    /// End time, in µs since 1970.
    pub end: i64,
}
