//! Pages to link providers, and the requisition form. They work without JavaScript, and load nothing from other hosts.
//!
//! | page | purpose |
//! |---|---|
//! | `GET /link?token=...` | shows one button for each provider |
//! | `POST /link/{provider}` | redirects to the provider's consent page |
//! | `GET /requisition?token=...` | the requisition form of an order, at a signed URL |
//! | `GET /link/callback/{organisation}/{provider}` | redirects to the team's URL, or shows the outcome |

mod callback;
mod errors;
mod layout;
mod link;
mod outcome;
mod parameter;
mod policy;
mod requisition;
mod session;
mod start;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use wearlab_service::Service;

const START: &str = "/link/{provider}";

/// Returns the routes of the pages.
pub fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/link", get(link::show))
        // A HEAD request must not use up a state, which can be used once.
        .route(
            "/link/callback/{organisation}/{provider}",
            get(callback::take_back).head(nothing),
        )
        // The redirect URI of settings of earlier versions.
        .route("/link/callback", get(callback::take_back_shared).head(nothing))
        .route(START, post(start::go))
        .route("/requisition", get(requisition::show))
}

async fn nothing() -> StatusCode {
    StatusCode::NO_CONTENT
}
