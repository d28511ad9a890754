//! Simulated provider on loopback.

use std::sync::Arc;

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Provider, Reading, Refusal, Session, Span};

use super::super::GoogleHealth;
use super::super::simulated::{Data, Simulation, grants, router};
use crate::simulated::oauth::Grants;
use crate::testing::{self, serve, session};

/// Returns all scopes of the collections.
pub(super) fn scopes() -> Vec<&'static str> {
    let collections = GoogleHealth.profile().collections.iter();
    collections.flat_map(|collection| collection.scopes).copied().collect()
}

/// Simulation that listens, and the access of one user.
pub(super) struct Service {
    pub(super) simulation: Simulation,
    pub(super) url: String,
}

impl Service {
    /// Starts a simulation of some months in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 60);
        let simulation = Simulation::new(data, grants("client", "secret", 3_600));
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

/// Last day of the points.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    testing::pull(&GoogleHealth, session, name, span).await
}
