//! Simulation of Oura: its API on made-up documents of one person, with pages, expired tokens and failures.

mod api;
mod data;
mod night;

use std::sync::Arc;

use axum::Router;

use super::generated::server::{self, Partial};

pub use self::api::{Failure, Simulation};
pub use self::data::Data;

/// Returns the API and the OAuth endpoints of a simulation.
pub fn router(simulation: &Simulation) -> Router {
    let oauth = Arc::clone(simulation.grants()).router();
    server::router(Arc::new(Partial(simulation.clone()))).merge(oauth)
}
