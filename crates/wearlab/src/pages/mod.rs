//! The pages on which users link providers, and a form that they may read. They work without JavaScript, and load nothing from anywhere.
//!
//! | page | what it does |
//! |---|---|
//! | `GET /link?token=...` | offers the providers, one button each |
//! | `POST /link/{provider}` | goes on to the provider's consent page |
//! | `GET /requisition?token=...` | the requisition form of an order, at a signed URL |
//! | `GET /link/callback/{organisation}/{provider}` | takes the user back, and goes on to the team's URL, or says the outcome |

mod callback;
mod layout;
mod link;
mod outcome;
mod policy;
mod requisition;
mod session;
mod start;

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use wearlab_store::StoreError;

use self::layout::Notice;
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

/// Logs an error of the store, and returns the page for it.
fn failed(error: StoreError) -> Response {
    if let StoreError::NoSecretKey { .. } = error {
        return link::not_available(&error);
    }
    if !error.is_transient() {
        tracing::error!(error = &error as &dyn std::error::Error, "a page failed");
    }
    unavailable()
}

fn unavailable() -> Response {
    Notice {
        done: false,
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "Please try again",
        text: "This page is not available at the moment. Wait a little, and load it again.",
        link: None,
    }
    .response()
}

/// A parameter of a query or a form: none where it is absent, repeated or empty.
fn parameter(encoded: &[u8], name: &str) -> Option<String> {
    let mut values = oauth2::url::form_urlencoded::parse(encoded).filter(|(found, _)| found == name);
    let value = values.next()?.1.into_owned();
    (values.next().is_none() && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn a_parameter_is_read_where_it_stands_once() {
        let query = b"state=a%20b&code=c&code=d&error=&iss=https%3A%2F%2Fexample.com";
        assert_eq!(parameter(query, "state").as_deref(), Some("a b"));
        assert_eq!(parameter(query, "iss").as_deref(), Some("https://example.com"));
        for none in ["code", "error", "scope"] {
            assert_eq!(parameter(query, none), None, "{none}");
        }
    }
}
