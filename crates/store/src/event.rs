//! Events of the log.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use wearlab_models::{Encoded, Event, ResourceName};

/// An event of the log. `Debug` does not show its payload.
#[derive(Clone, Debug)]
pub struct LoggedEvent {
    /// Position in the log. Later events have higher numbers. There may be gaps.
    pub number: i64,
    /// The id of the event, by which consumers drop duplicates.
    pub event_id: String,
    /// The team of the event.
    pub team_id: Uuid,
    /// The user of the event.
    pub user_id: Uuid,
    /// The type, such as `daily.data.steps.created`.
    pub event_type: String,
    /// Time of the write.
    pub created_on: DateTime<Utc>,
    /// The event with everything that a pipeline can request: the values of historical pulls, and the provider's own
    /// payload.
    pub payload: Encoded<Event>,
}

/// Filter of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those about this user. Fast if the team is given, too.
    pub user_id: Option<Uuid>,
    /// Only those whose type begins with this.
    pub event_type_prefix: Option<String>,
    /// Only those after this number of the log.
    pub after: i64,
}

/// Filter of events of an organisation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Only those after this position of the log.
    pub after: i64,
    /// Only those before this position. The log is then read backwards: the newest events come first.
    pub before: Option<i64>,
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those about this user.
    pub user_id: Option<Uuid>,
    /// Only those whose type begins with this.
    pub event_type_prefix: Option<String>,
}

/// Result of reading the log.
#[derive(Clone, Debug)]
pub enum LogRead {
    /// A page of the log.
    Page(LogPage),
    /// The organisation has no such team.
    NoTeam,
    /// The organisation, or the team, has no such user.
    NoUser,
    /// The position is beyond the end of the log.
    AheadOfLog,
}

/// Events of the log in its order, or in reverse order if the log was read backwards.
#[derive(Clone, Debug)]
pub struct LogPage {
    /// The events.
    pub events: Vec<LoggedEvent>,
    /// The position to continue from.
    pub last: i64,
    /// True if there are more events in the direction of the read.
    pub more: bool,
    /// The position of the newest event of the log, or 0.
    pub end: i64,
    /// No event after this position was deleted for its age.
    pub complete_after: i64,
}

/// Retention of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRetention {
    /// The current time.
    pub now: DateTime<Utc>,
    /// Older events are deleted once all destinations of their team have them.
    pub delivered: DateTime<Utc>,
    /// Older events are deleted, delivered or not.
    pub undelivered: DateTime<Utc>,
}

/// Retention of values: the first day to keep. Values of earlier days are deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueRetention {
    /// The day for resources that are not named. None to keep them forever.
    pub before: Option<NaiveDate>,
    /// The days for named resources.
    pub by_resource: BTreeMap<ResourceName, Option<NaiveDate>>,
}

impl ValueRetention {
    /// The first day to keep of a resource. None to keep all.
    pub fn first_day(&self, resource: &ResourceName) -> Option<NaiveDate> {
        self.by_resource.get(resource).copied().unwrap_or(self.before)
    }
}

/// Result of pruning the values of some users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrunedValues {
    /// Number of deleted summaries.
    pub summaries: usize,
    /// Number of deleted chunks of samples.
    pub chunks: usize,
    /// The user to continue after. None after the last one.
    pub next: Option<i64>,
}

/// Result of pruning a part of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Number of deleted events.
    pub deleted: usize,
    /// The ids of deleted events that a destination did not have, oldest first.
    pub undelivered: Vec<String>,
    /// The position of the next part, if there may be more to delete.
    pub next: Option<i64>,
}

/// Outcome of the ingest of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingested {
    /// The arrival was stored.
    Taken,
    /// The arrival was stored, except for values of this number of days, which the user excludes from ingest.
    Partly(usize),
    /// The arrival is a duplicate. Nothing changed.
    Duplicate,
    /// The arrival is of a day that the user excludes from ingest, and was dropped.
    OutOfBounds,
}
