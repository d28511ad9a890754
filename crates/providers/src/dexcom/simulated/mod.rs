//! Simulation of Dexcom: its API on made-up records of one person, with faults.

mod api;
mod data;
mod records;

use std::sync::Arc;

use axum::Router;

use super::generated::server::{self, Partial};

pub use self::api::Simulation;
pub use self::data::Data;

/// Returns the API and the OAuth endpoints of a simulation.
pub fn router(simulation: &Simulation) -> Router {
    let oauth = Arc::clone(simulation.grants()).router();
    let api = server::router(Arc::new(Partial(simulation.clone())));
    simulation.faults().layer(api).merge(oauth)
}
