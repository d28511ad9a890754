//! Simulation of WHOOP: its API on made-up records of one person, with pages, scopes, faults, and signed notices.

mod api;
mod data;
mod records;
mod webhook;

use std::sync::Arc;

use axum::Router;

use super::generated::server::{self, Partial};
use crate::simulated::deviations::Deviations;
use crate::simulated::oauth::Grants;

pub use self::api::Simulation;
pub use self::data::Data;

/// Returns an empty list of consents of one client, with the deviations of WHOOP.
pub fn grants(client_id: &str, client_secret: &str, token_seconds: u32) -> Grants {
    Grants::new(client_id, client_secret, token_seconds).with_deviations(Deviations {
        is_body_only: true,
        refresh_scope: Some("offline"),
        ends_access_tokens: true,
        min_state_length: 8,
        ..Deviations::default()
    })
}

/// Returns the API and the OAuth endpoints of a simulation.
pub fn router(simulation: &Simulation) -> Router {
    let oauth = Arc::clone(simulation.grants()).router();
    let api = server::router(Arc::new(Partial(simulation.clone())));
    simulation.faults().layer(api).merge(oauth)
}
