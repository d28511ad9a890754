//! Simulated provider on loopback.

use std::sync::Arc;

use chrono::NaiveDate;
use wearlab_connect::{Reading, Refusal, Session, Span};

use super::super::Withings;
use super::super::simulated::{Data, Simulation, grants, router};
use crate::simulated::oauth::Grants;
use crate::testing::{self, serve, session};

pub(super) const SCOPES: &[&str] = &["user.metrics", "user.activity"];

/// Simulation that listens, and the access of one user.
pub(super) struct Service {
    pub(super) simulation: Simulation,
    pub(super) url: String,
}

impl Service {
    /// Starts a simulation of some months in a time zone.
    pub(super) async fn start(zone: &str) -> Self {
        let data = Data::generate(7, zone, last_day(), 60);
        let simulation = Simulation::new(data, grants("client", "secret", 10_800));
        let url = serve(router(&simulation)).await;
        Self { simulation, url }
    }

    /// Returns a session of a user who granted some scopes.
    pub(super) fn session(&self, scopes: &[&str]) -> Session {
        self.session_of(&self.grants().issue(scopes))
    }

    pub(super) fn session_of(&self, access_token: &str) -> Session {
        session(&self.url, access_token)
    }

    pub(super) fn grants(&self) -> &Arc<Grants> {
        self.simulation.grants()
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
