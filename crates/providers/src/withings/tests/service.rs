//! Simulated provider on loopback.

use chrono::NaiveDate;
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Withings;
use super::super::simulated::{Data, Simulation, grants, router};
use crate::testing;

pub(super) const SCOPES: &[&str] = &["user.metrics", "user.activity"];

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of some months in a time zone.
    pub(super) async fn start(zone: &str) -> Self {
        let data = Data::generate(7, zone, last_day(), 60);
        let simulation = Simulation::new(data, grants("client", "secret", 10_800));
        Self::listen(simulation, router).await
    }
}

/// Last day of the data, in the week of a clock change in Europe.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 4, 18).expect("a day")
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Withings, session, name, span).await
}
