//! Simulated provider on loopback.

use std::sync::Arc;

use axum::Router;
use chrono::{FixedOffset, NaiveDate};
use tokio::net::TcpListener;
use wearlab_connect::{Collection, Provider, Reading, Refusal, Session, Span};
use wearlab_models::Secret;

use super::super::Oura;
use super::super::simulated::{Data, Simulation, router};
use crate::simulated::oauth::Grants;

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

pub(super) fn client() -> reqwest::Client {
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    builder.build().expect("a client")
}

pub(super) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a listener");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

pub(super) fn collection(name: &str) -> &'static Collection {
    let mut collections = Oura.profile().collections.iter();
    collections
        .find(|collection| collection.name == name)
        .expect("a collection")
}

/// Pulls a collection in spans of its size.
pub(super) async fn pull(session: &Session, name: &str, span: Span) -> Result<Vec<Reading>, Refusal> {
    let collection = collection(name);
    let mut readings = Vec::new();
    let days: Vec<_> = span.first.iter_days().take_while(|day| *day <= span.last).collect();
    for window in days.chunks(collection.window_days as usize) {
        let span = Span {
            first: window[0],
            last: window[window.len() - 1],
        };
        readings.extend(Oura.pull(session, collection, span).await?);
    }
    Ok(readings)
}
