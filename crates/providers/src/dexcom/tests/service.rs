//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Dexcom;
use super::super::simulated::{Data, Simulation, router};
use crate::simulated::oauth::Grants;
use crate::testing;

pub(super) const SCOPES: &[&str] = &["offline_access"];

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of some days in the time of UTC.
    pub(super) async fn start() -> Self {
        Self::of(0, 12).await
    }

    /// Starts a simulation of some days in the time of an offset in minutes.
    pub(super) async fn of(minutes: i32, days: u32) -> Self {
        let offset = FixedOffset::east_opt(minutes * 60).expect("an offset");
        let data = Data::generate(7, offset, last_day(), days);
        let simulation = Simulation::new(data, Grants::new("client", "secret", 7_200));
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

/// Pulls the records in spans of their size.
pub(super) async fn pull(session: &Session, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Dexcom, session, "records", span).await
}
