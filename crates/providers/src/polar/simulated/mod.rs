//! Simulation of Polar: its API on made-up data of one person, with registration, consents, limits of spans, faults, and notices.

mod api;
mod data;
mod night;
mod tokens;
mod webhook;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;

use super::generated::server::{self, Partial};
use crate::simulated::deviations::Deviations;
use crate::simulated::oauth::Grants;

pub use self::api::Simulation;
pub use self::data::Data;

/// Creates consents of one client, whose access tokens last so many seconds. There are no refresh tokens.
pub fn grants(client_id: &str, client_secret: &str, token_seconds: u32) -> Grants {
    Grants::new(client_id, client_secret, token_seconds).with_deviations(Deviations {
        // A scope that is never granted.
        refresh_scope: Some(""),
        ..Deviations::default()
    })
}

/// Returns the API and the OAuth endpoints of a simulation.
pub fn router(simulation: &Simulation) -> Router {
    let oauth = Arc::clone(simulation.grants()).router();
    let api = server::router(Arc::new(Partial(simulation.clone())));
    let oauth = oauth.layer(from_fn_with_state(simulation.clone(), tokens::respond));
    simulation.faults().layer(api).merge(oauth)
}
