//! Simulated provider on loopback.

use std::sync::Arc;

use chrono::{FixedOffset, NaiveDate};
use wearlab_connect::{Reading, Refusal, Session, Span};
use wearlab_models::Secret;

use super::super::Oura;
use super::super::simulated::{Data, Simulation, router};
use crate::simulated::oauth::Grants;
use crate::testing::{client, serve};

pub(super) const SCOPES: &[&str] = &["daily", "heartrate", "spo2", "workout", "personal", "heart_health"];

/// Simulation that listens, and the access of one user.
pub(super) struct Service {
    pub(super) simulation: Simulation,
    pub(super) url: String,
}

impl Service {
    /// Starts a simulation of a year in the time of an offset in hours.
    pub(super) async fn start(hours: i32) -> Self {
        let offset = FixedOffset::east_opt(hours * 3_600).expect("an offset");
        let data = Data::generate(7, offset, last_day(), 365);
        let simulation = Simulation::new(data, Grants::new("client", "secret", 3_600));
        let url = serve(router(&simulation)).await;
        Self { simulation, url }
    }

    /// Returns a session of a user who granted some scopes.
    pub(super) fn session(&self, scopes: &[&str]) -> Session {
        self.session_of(&self.simulation.grants().issue(scopes))
    }

    pub(super) fn session_of(&self, access_token: &str) -> Session {
        Session {
            http: client(),
            base_url: Some(self.url.clone()),
            access_token: Secret::new(access_token),
            pace: Arc::default(),
        }
    }

    pub(super) fn grants(&self) -> &Arc<Grants> {
        self.simulation.grants()
    }
}

/// Last day of the documents.
pub(super) fn last_day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 5, 31).expect("a day")
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    crate::testing::pull(&Oura, session, name, span).await
}
