//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Provider, Reading, Refusal, Session, Span};

use super::super::GoogleHealth;
use super::super::simulated::{Data, Simulation, grants, router};
use crate::testing;

/// Returns all scopes of the collections.
pub(super) fn scopes() -> Vec<&'static str> {
    let collections = GoogleHealth.profile().collections.iter();
    collections.flat_map(|collection| collection.scopes).copied().collect()
}

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of some months in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 60);
        let simulation = Simulation::new(data, grants("client", "secret", 3_600));
        Self::listen(simulation, router).await
    }
}

/// Last day of the points.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&GoogleHealth, session, name, span).await
}
