//! Identity of summaries: the members that distinguish them, and their lookup in the store.

use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;
use wearlab_models::ResourceName;

use super::session::Session;
use crate::{ExactObject, IngestError};

/// Members that distinguish a summary from others of its user, provider, source and resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Own `id` or `provider_id`, or the user, who has only one.
    ById,
    /// Session: it matches the stored one that it overlaps.
    ByOverlap,
    /// Day; of several of a day, the `provider_id` or the session.
    ByDay,
    /// Start; without one, the day.
    ByStart,
}

/// State of a summary in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Missing from the store.
    Missing,
    /// Stored, with the same members.
    Unchanged,
    /// Stored, with other members, or of another day or source.
    Changed,
}

/// Summary in the store, without its document.
#[derive(Clone)]
pub struct StoredSummary {
    /// Id of the summary.
    pub id: Uuid,
    /// Day that it belongs to.
    pub day: NaiveDate,
    /// Start of its session, if it has one.
    pub start: Option<DateTime<Utc>>,
    /// End of its session, if it has one.
    pub end: Option<DateTime<Utc>>,
    /// Id at its provider.
    pub provider_id: Option<String>,
    /// True if it is of the provider of the arrival.
    pub is_of_provider: bool,
    /// True if it is of the source of the arrival, too.
    pub is_of_source: bool,
    /// True if the service derived its id, and false if its sender assigned it.
    pub has_derived_id: bool,
}

impl StoredSummary {
    /// Returns the `provider_id` of a document.
    pub fn provider_id_of(document: &str) -> Option<String> {
        #[derive(Deserialize)]
        struct Document<'a> {
            #[serde(borrow)]
            provider_id: Option<&'a RawValue>,
        }
        let document: Document<'_> = serde_json::from_str(document).ok()?;
        serde_json::from_str(document.provider_id?.get()).ok()
    }

    pub(super) fn session(&self) -> Option<Session> {
        Session::of(self.start, self.end)
    }
}

/// Lookup of the stored summaries of the user of an arrival.
///
/// The results are valid for one line: the caller records the ids that values of the line take.
pub trait SummaryLookup {
    /// Error of the store.
    type Error: From<IngestError>;

    /// Returns the summary of a resource with an id, whatever its provider, and its document.
    ///
    /// It is called with an id before a summary of that id is put.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be read.
    fn with_id(
        &mut self,
        resource: &ResourceName,
        id: Uuid,
    ) -> Result<Option<(StoredSummary, ExactObject)>, Self::Error>;

    /// Returns the summaries of a resource of some days, of the provider and source of the arrival.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be read.
    fn of_days(
        &mut self,
        resource: &ResourceName,
        days: RangeInclusive<NaiveDate>,
    ) -> Result<Vec<StoredSummary>, Self::Error>;

    /// Returns the summaries of a resource whose sessions overlap a span of time, of the provider and source of the arrival.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be read.
    fn of_sessions(
        &mut self,
        resource: &ResourceName,
        span: RangeInclusive<DateTime<Utc>>,
    ) -> Result<Vec<StoredSummary>, Self::Error>;

    /// Returns the activities or bodies of a `provider_id`, whatever their day, of the provider and source of the arrival.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be read.
    fn of_provider_id(&mut self, resource: &ResourceName, provider_id: &str)
    -> Result<Vec<StoredSummary>, Self::Error>;
}

/// Returns whether two summaries of a day are distinct, by their ids at the provider, or by their sessions.
pub(super) fn is_distinct(
    (session, provider_id): (Option<Session>, Option<&str>),
    (other, other_id): (Option<Session>, Option<&str>),
) -> bool {
    match ((provider_id, other_id), (session, other)) {
        ((Some(id), Some(other_id)), _) => id != other_id,
        (_, (Some(session), Some(other))) => session.overlap(other).is_none(),
        _ => false,
    }
}
