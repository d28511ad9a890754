//! Simulation of Withings: its API and its tokens on made-up data of one person, with pages, scopes and errors in responses of
//! HTTP 200.

mod api;
mod data;
mod empty;
mod groups;
mod night;
mod queries;
mod select;
mod simulation;

use std::sync::Arc;

use axum::Router;

use super::generated::server::{self, Partial};

pub use self::data::Data;
pub use self::simulation::{Simulation, grants};

/// Returns the API with the token endpoint, and the consent page of a simulation.
pub fn router(simulation: &Simulation) -> Router {
    let consent = Arc::clone(simulation.grants()).consent_router("/oauth2_user/authorize2");
    let api = server::router(Arc::new(Partial(simulation.clone())));
    simulation.faults().layer(api).merge(consent)
}
