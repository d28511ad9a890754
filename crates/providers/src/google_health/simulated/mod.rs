//! Simulation of Google Health: its API on made-up points of one person, with filters, pages, scopes and faults.

mod api;
mod data;
mod filter;
mod simulation;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::routing::post;

use super::generated::server::{self, Partial};
use crate::simulated::oauth::Grants;

pub use self::data::Data;
pub use self::simulation::{Simulation, grants};

/// Returns the API and the OAuth endpoints of a simulation, with `/oauth/revoke`.
pub fn router(simulation: &Simulation) -> Router {
    let grants = simulation.grants();
    let revoke = Router::new()
        .route("/oauth/revoke", post(revoke))
        .with_state(Arc::clone(grants));
    let oauth = Arc::clone(grants).router().merge(revoke);
    let api = server::router(Arc::new(Partial(simulation.clone())));
    simulation.faults().layer(api).merge(oauth)
}

/// Ends the grant of a token (RFC 7009).
async fn revoke(State(grants): State<Arc<Grants>>, Form(form): Form<HashMap<String, String>>) -> StatusCode {
    match form.get("token").is_some_and(|token| grants.revoke(token)) {
        true => StatusCode::OK,
        false => StatusCode::BAD_REQUEST,
    }
}
