//! Events as the log holds them.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use wearlab_models::{Encoded, Event, ResourceName};

/// An event of the log. `Debug` does not show its payload.
#[derive(Clone, Debug)]
pub struct LoggedEvent {
    /// Its position in the log. Later events have higher numbers; there may be gaps.
    pub number: i64,
    /// Its id, by which consumers drop repeats.
    pub event_id: String,
    /// The team that it is for.
    pub team_id: Uuid,
    /// The user that it is about.
    pub user_id: Uuid,
    /// Its type, such as `daily.data.steps.created`.
    pub event_type: String,
    /// When it was written.
    pub created_on: DateTime<Utc>,
    /// The event with all that a pipeline can ask for: the values of historical pulls, and the provider's own payload.
    pub payload: Encoded<Event>,
}

/// Which events to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those about this user. Fast where the team is given, too.
    pub user_id: Option<Uuid>,
    /// Only those whose type begins with this.
    pub event_type_prefix: Option<String>,
    /// Only those after this number of the log.
    pub after: i64,
}

/// Which events of an organisation to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Only those behind this position of the log.
    pub after: i64,
    /// Only those ahead of this position. The log is then read back from there: the newest events come first.
    pub before: Option<i64>,
    /// Only those of this team.
    pub team_id: Option<Uuid>,
    /// Only those about this user.
    pub user_id: Option<Uuid>,
    /// Only those whose type begins with this.
    pub event_type_prefix: Option<String>,
}

/// What was read of the log.
#[derive(Clone, Debug)]
pub enum LogRead {
    /// A part of it.
    Page(LogPage),
    /// The organisation has no such team.
    NoTeam,
    /// The organisation, or the team, has no such user.
    NoUser,
    /// The log was never as long as that.
    AheadOfLog,
}

/// Events of the log, in its order, or the other way round where it was read back.
#[derive(Clone, Debug)]
pub struct LogPage {
    /// The events.
    pub events: Vec<LoggedEvent>,
    /// The position to continue from.
    pub last: i64,
    /// True if the log goes on from there, in the direction that it was read in.
    pub more: bool,
    /// The position of the newest event of the log, or 0.
    pub end: i64,
    /// Behind this position no event was deleted for its age.
    pub complete_after: i64,
}

/// How long events are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRetention {
    /// The time.
    pub now: DateTime<Utc>,
    /// Those that are older than this are deleted once all destinations of their team have them.
    pub delivered: DateTime<Utc>,
    /// Those that are older than this are deleted whether they were delivered or not.
    pub undelivered: DateTime<Utc>,
}

/// Up to when the values of resources are deleted: those of earlier days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueRetention {
    /// Of resources that are not named. None where they are kept forever.
    pub before: Option<NaiveDate>,
    /// Of named resources.
    pub by_resource: BTreeMap<ResourceName, Option<NaiveDate>>,
}

impl ValueRetention {
    /// The first day of which values of a resource are kept. None where all are.
    pub fn first_day(&self, resource: &ResourceName) -> Option<NaiveDate> {
        self.by_resource.get(resource).copied().unwrap_or(self.before)
    }
}

/// What became of the values of some users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrunedValues {
    /// How many summaries were deleted.
    pub summaries: usize,
    /// How many chunks of samples were deleted.
    pub chunks: usize,
    /// After which user to go on; none after the last one.
    pub next: Option<i64>,
}

/// What became of a part of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many events were deleted.
    pub deleted: usize,
    /// The ids of those among them that a destination did not have, oldest first.
    pub undelivered: Vec<String>,
    /// Where the next part begins, if there may be more to delete.
    pub next: Option<i64>,
}

/// What became of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingested {
    /// It was taken.
    Taken,
    /// It was taken, but for values of so many days that the user does not want ingested.
    Partly(usize),
    /// It was there before, so that nothing changed.
    Known,
    /// It is of a day that the user does not want ingested, and was dropped.
    OutOfBounds,
}
