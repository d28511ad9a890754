//! Servers on loopback, and pulls from them in windows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use chrono::{Days, NaiveDate};
use tokio::net::TcpListener;
use wearlab_connect::{Collection, Provider, Reading, Refusal, Session, Span};
use wearlab_models::Secret;

use crate::simulated::oauth::Grants;
use crate::simulated::simulation::Simulation;

/// Returns an HTTP client that follows no redirects.
pub(crate) fn client() -> reqwest::Client {
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    builder.build().expect("a client")
}

/// Serves a router on loopback, and returns its URL.
pub(crate) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a listener");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Returns the access to the data of a user, without limits of requests.
pub(crate) fn session(url: &str, access_token: &str) -> Session {
    Session {
        http: client(),
        base_url: Some(url.to_owned()),
        access_token: Secret::new(access_token),
        pace: Arc::default(),
        requests: AtomicU64::new(0),
    }
}

/// Simulation that listens, and access of its user.
pub(crate) struct Service<S> {
    pub(crate) simulation: S,
    pub(crate) url: String,
}

impl<D, E> Service<Simulation<D, E>> {
    /// Serves a simulation on loopback.
    pub(crate) async fn listen(simulation: Simulation<D, E>, router: fn(&Simulation<D, E>) -> Router) -> Self {
        let url = serve(router(&simulation)).await;
        Self { simulation, url }
    }

    /// Returns a session of a user who granted some scopes.
    pub(crate) fn session(&self, scopes: &[&str]) -> Session {
        self.session_of(&self.grants().issue(scopes))
    }

    pub(crate) fn session_of(&self, access_token: &str) -> Session {
        session(&self.url, access_token)
    }

    pub(crate) fn grants(&self) -> &Arc<Grants> {
        self.simulation.grants()
    }

    /// Returns the requests of the API so far.
    pub(crate) fn requests(&self) -> u64 {
        self.simulation.faults().requests()
    }
}

/// Returns some days up to the last.
pub(crate) fn last_days(last: NaiveDate, days: u64) -> Span {
    Span {
        first: last - Days::new(days - 1),
        last,
    }
}

/// Returns a collection of a provider.
fn collection(provider: &dyn Provider, name: &str) -> &'static Collection {
    let mut collections = provider.profile().collections.iter();
    collections
        .find(|collection| collection.name == name)
        .expect("a collection")
}

/// Pulls a collection in spans of its size.
pub(crate) async fn pull(
    provider: &dyn Provider,
    session: &Session,
    name: &str,
    span: Span,
) -> Result<Vec<Reading>, Refusal> {
    let collection = collection(provider, name);
    let mut readings = Vec::new();
    let days: Vec<_> = span.days().collect();
    for window in days.chunks(collection.window_days as usize) {
        let span = Span {
            first: window[0],
            last: window[window.len() - 1],
        };
        readings.extend(provider.pull(session, collection, span).await?);
    }
    Ok(readings)
}
