//! How arrivals become events: at which time, with which ids, and in which deprecated forms.

use std::str::FromStr;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use serde::Deserialize;
use uuid::Uuid;

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

/// Which deprecated forms events still have: `deprecated` in `spec/events.yaml`.
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
    /// `value` in results of orders.
    pub result_value: Until,
}

impl Default for DeprecatedForms {
    /// As the dates of the interface have it: `source` stays for now, the others are over.
    fn default() -> Self {
        Self {
            connection_source: Until::Always,
            source_details: Until::Never,
            hypnogram_events: Until::Never,
            is_final: Until::Never,
            result_value: Until::Never,
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
