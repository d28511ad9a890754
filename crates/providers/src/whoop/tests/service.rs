//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Whoop;
use super::super::simulated::{Data, Simulation, grants, router};
use crate::testing;

pub(super) const SCOPES: &[&str] = &[
    "offline",
    "read:profile",
    "read:body_measurement",
    "read:cycles",
    "read:recovery",
    "read:sleep",
    "read:workout",
];

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of half a year in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 180);
        let simulation = Simulation::new(data, grants("client", "secret", 3_600));
        Self::listen(simulation, router).await
    }
}

/// Last day of the records.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Returns the last week of the records.
pub(super) fn last_week() -> Span {
    testing::last_days(last_day(), 7)
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Whoop, session, name, span).await
}
