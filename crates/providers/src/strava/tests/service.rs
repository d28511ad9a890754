//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Strava;
use super::super::simulated::{Data, Simulation, router};
use crate::simulated::oauth::Grants;
use crate::testing::{self, serve, session};

pub(super) const SCOPES: &[&str] = &["read", "activity:read", "activity:read_all"];

/// Simulation that listens, and the access of one user.
pub(super) struct Service {
    pub(super) simulation: Simulation,
    pub(super) url: String,
}

impl Service {
    /// Starts a simulation of some months in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 120);
        let simulation = Simulation::new(data, Grants::new("client", "secret", 3_600));
        let url = serve(router(&simulation)).await;
        Self { simulation, url }
    }

    /// Returns a session of a user who granted some scopes.
    pub(super) fn session(&self, scopes: &[&str]) -> Session {
        session(&self.url, &self.simulation.grants().issue(scopes))
    }

    /// Returns the requests of the API so far.
    pub(super) fn requests(&self) -> u64 {
        self.simulation.faults().requests()
    }
}

/// Last day of the activities.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Some days up to the last.
pub(super) fn last_days(days: u64) -> Span {
    Span {
        first: last_day() - chrono::Days::new(days - 1),
        last: last_day(),
    }
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Strava, session, name, span).await
}
