//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Polar;
use super::super::simulated::{Data, Simulation, grants, router};
use crate::testing;

pub(super) const SCOPES: &[&str] = &["accesslink.read_all"];

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of some months in the time of an offset in hours, for a person who is registered.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let mut data = Data::generate(7, offset, last_day(), 90);
        data.is_registered = true;
        let simulation = Simulation::new(data, grants("client", "secret", 31_535_999));
        Self::listen(simulation, router).await
    }

    /// Pulls a collection of some days up to the last.
    pub(super) async fn pull(&self, name: &str, days: u64) -> Result<Vec<Reading>, Refusal> {
        pull(&self.session(SCOPES), name, last_days(days)).await
    }
}

/// Last day of the data.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Some days up to the last.
pub(super) fn last_days(days: u64) -> Span {
    testing::last_days(last_day(), days)
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Polar, session, name, span).await
}
