//! Simulation of Strava: its API on made-up activities of one person, with pages, scopes, limits, faults, and notices.

mod api;
mod data;
mod limits;
mod rate_limit;
mod subscriptions;
mod tokens;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;

use super::generated::server::{self, Partial};

pub use self::api::Simulation;
pub use self::data::{Data, Recorded};
pub use self::limits::Limits;

/// Returns the API and the OAuth endpoints of a simulation.
pub fn router(simulation: &Simulation) -> Router {
    let oauth = Arc::clone(simulation.grants()).router();
    let api = server::router(Arc::new(Partial(simulation.clone())));
    let limited = api.layer(from_fn_with_state(simulation.clone(), rate_limit::respond));
    let oauth = oauth.layer(from_fn_with_state(simulation.clone(), tokens::respond));
    simulation.faults().layer(limited).merge(oauth)
}
