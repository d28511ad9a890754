//! Simulated provider on loopback.

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Oura;
use super::super::simulated::{Data, Simulation, router};
use crate::simulated::oauth::Grants;
use crate::testing;

pub(super) const SCOPES: &[&str] = &["daily", "heartrate", "spo2", "workout", "personal", "heart_health"];

pub(super) type Service = testing::Service<Simulation>;

impl Service {
    /// Starts a simulation of a year in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 365);
        let simulation = Simulation::new(data, Grants::new("client", "secret", 3_600));
        Self::listen(simulation, router).await
    }
}

/// Last day of the documents.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&Oura, session, name, span).await
}
