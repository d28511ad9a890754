//! The pages on which users link providers, and a form that they may read. They work without JavaScript, and load nothing from anywhere.
//!
//! | page | what it does |
//! |---|---|
//! | `GET /link?token=...` | offers the providers, one button each |
//! | `POST /link/{provider}` | goes on to the provider's consent page |
//! | `GET /requisition?token=...` | the requisition form of an order, at a signed URL |
//! | `GET /link/callback/{organisation}/{provider}` | takes the user back, and goes on to the team's URL, or says the outcome |

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
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use axum::routing::{get, post};

use crate::Service;

const START: &str = "/link/{provider}";

/// The routes of the pages.
pub(crate) fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/link", get(link::show))
        // A HEAD must not use up what is good once.
        .route(
            "/link/callback/{organisation}/{provider}",
            get(callback::take_back).head(nothing),
        )
        // Of settings of earlier versions.
        .route("/link/callback", get(callback::take_back_shared).head(nothing))
        .route(START, post(start::go))
        .route("/requisition", get(requisition::show))
}

/// Returns whether a page reads the body of a request.
pub(crate) fn takes_body(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    *request.method() == Method::POST && route.is_some_and(|route| route.as_str() == START)
}

async fn nothing() -> StatusCode {
    StatusCode::NO_CONTENT
}
