//! Events as the log holds them, and how they are made.

use std::str::FromStr;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use serde::Deserialize;
use uuid::Uuid;
use wearlab_models::{Encoded, Event};

/// An event of the log. `Debug` does not show its payload.
#[derive(Clone, Debug)]
pub struct LoggedEvent {
    /// Its place in the log. Later events have higher numbers; there may be gaps.
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

/// What arrivals are taken by.
#[derive(Clone, Copy, Debug)]
pub struct Ingestion {
    /// The time.
    pub now: DateTime<Utc>,
    /// Makes the ids of events, each another one.
    pub fresh_id: fn() -> Uuid,
    /// Which deprecated forms events still have.
    pub forms: DeprecatedForms,
}

/// Which deprecated forms events still have (section 9 of the interface).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeprecatedForms {
    /// `source` beside `provider` in `provider.connection.created`.
    pub connection_source: Until,
    /// `name`, `logo` and `slug` in the source of daily events.
    pub source_details: Until,
    /// The events of hypnograms, beside those of sleep cycles.
    pub hypnogram_events: Until,
    /// `is_final` in historical events.
    pub is_final: Until,
}

impl Default for DeprecatedForms {
    /// As the dates of the interface have it: `source` stays for now, the others are over.
    fn default() -> Self {
        Self {
            connection_source: Until::Always,
            source_details: Until::Never,
            hypnogram_events: Until::Never,
            is_final: Until::Never,
        }
    }
}

/// How long something is done. As text: `never`, `always`, or a day such as `2027-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Until {
    /// No longer.
    Never,
    /// Up to the beginning of this day, UTC.
    Day(NaiveDate),
    /// For now.
    Always,
}

impl Until {
    /// Whether it is done at a time.
    pub fn holds(self, now: DateTime<Utc>) -> bool {
        match self {
            Self::Never => false,
            Self::Day(day) => now.date_naive() < day,
            Self::Always => true,
        }
    }
}

impl FromStr for Until {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "never" => Ok(Self::Never),
            "always" => Ok(Self::Always),
            day => match day.parse::<NaiveDate>() {
                Ok(day) if (0..=9999).contains(&day.year()) => Ok(Self::Day(day)),
                _ => Err("expected never, always, or a day such as 2027-01-31"),
            },
        }
    }
}

impl TryFrom<String> for Until {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
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
