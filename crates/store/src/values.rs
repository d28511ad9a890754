//! What is read of the data of users.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use wearlab_ingest::{ArrivalSource, Sample};
use wearlab_models::{Encoded, ResourceName};

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

/// How much a page has at most: it ends ahead of the item that would exceed one of both, but has one item at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimit {
    /// The most items.
    pub items: usize,
    /// The most bytes of them, about.
    pub bytes: usize,
}

impl PageLimit {
    /// No limit.
    pub const NONE: Self = Self {
        items: usize::MAX,
        bytes: usize::MAX,
    };
}

/// What is left of a limit.
pub(crate) struct Budget {
    left: PageLimit,
    is_untouched: bool,
}

impl Budget {
    pub(crate) fn of(limit: PageLimit) -> Self {
        Self {
            left: limit,
            is_untouched: true,
        }
    }

    pub(crate) fn left(&self) -> PageLimit {
        self.left
    }

    /// Takes an item of so many bytes, if it fits. The first one always does.
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let fits = self.left.items > 0 && (bytes <= self.left.bytes || self.is_untouched);
        if fits {
            self.is_untouched = false;
            self.left.items -= 1;
            self.left.bytes = self.left.bytes.saturating_sub(bytes);
        }
        fits
    }
}

impl From<usize> for PageLimit {
    fn from(items: usize) -> Self {
        Self {
            items,
            bytes: usize::MAX,
        }
    }
}

/// Summaries of some days.
#[derive(Clone, Debug)]
pub enum SummaryList<T> {
    /// The summaries.
    Whole(Vec<Encoded<T>>),
    /// Their ids, in the same order, where they are longer together than was asked for:
    /// [`some_summaries`](crate::TeamStore::some_summaries) reads some of them.
    Ids(Vec<Uuid>),
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
    /// Returns whether it is before a sample of a time and a type.
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
