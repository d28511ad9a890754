//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Strava;
use super::super::simulated::{Data, Simulation, router};
use crate::simulated::oauth::Grants;
use crate::testing;

pub(super) const SCOPES: &[&str] = &["read", "activity:read", "activity:read_all"];

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of some months in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 120);
        let simulation = Simulation::new(data, Grants::new("client", "secret", 3_600));
        Self::listen(simulation, router).await
    }
}

/// Last day of the activities.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Some days up to the last.
pub(super) fn last_days(days: u64) -> Span {
    testing::last_days(last_day(), days)
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Strava, session, name, span).await
}
