//! Parameters of ingestion: the time, the ids of events, and their deprecated forms.

use std::str::FromStr;

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use serde::Deserialize;
use uuid::Uuid;

/// Parameters of an ingestion.
#[derive(Clone, Copy, Debug)]
pub struct Ingestion {
    /// Time of the ingestion.
    pub now: DateTime<Utc>,
    /// Generator of event ids.
    pub fresh_id: fn() -> Uuid,
    /// Deprecated forms that events still have.
    pub forms: DeprecatedForms,
}

/// Deprecated forms that events still have: `deprecated` in `spec/events.yaml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeprecatedForms {
    /// `source` beside `provider` in `provider.connection.created`.
    pub connection_source: Until,
    /// `name`, `logo` and `slug` in the source of daily events.
    pub source_details: Until,
    /// Events of hypnograms, beside those of sleep cycles.
    pub hypnogram_events: Until,
    /// `is_final` in historical events.
    pub is_final: Until,
    /// `value` in results of orders.
    pub result_value: Until,
}

impl Default for DeprecatedForms {
    /// Returns the forms by the dates of the document: `source` stays for now, the others have ended.
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

/// Time until which a form is used. As text: `never`, `always`, or a day such as `2027-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Until {
    /// Never used.
    Never,
    /// Used up to the beginning of this day, UTC.
    Day(NaiveDate),
    /// Used for now.
    Always,
}

impl Until {
    /// Returns whether it is used at a time.
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
