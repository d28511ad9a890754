//! Error pages, and redirects, which may fail.

use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use url::Url;
use wearlab_store::StoreError;

use super::layout::Notice;
use super::policy;

/// Logs an error of the store, and returns the page for it.
pub(super) fn failed(error: StoreError) -> Response {
    if let StoreError::NoSecretKey { .. } = error {
        return not_available(&error);
    }
    if !error.is_transient() {
        tracing::error!(error = &error as &dyn std::error::Error, "a page failed");
    }
    unavailable()
}

pub(super) fn unavailable() -> Response {
    Notice {
        done: false,
        status: StatusCode::SERVICE_UNAVAILABLE,
        title: "Please try again",
        text: "This page is not available at the moment. Wait a little, and load it again.",
        link: None,
    }
    .response()
}

/// Title and text if the service cannot store tokens.
pub(super) const NOT_AVAILABLE: (&str, &str) = (
    "Linking is not available",
    "This service is not set up for it. Trying again does not help: tell the people who run the app that you came from.",
);

/// Logs the reason why the service cannot store tokens, and returns the page for it.
pub(super) fn not_available(error: &StoreError) -> Response {
    tracing::error!(error = error as &dyn std::error::Error, "linking is not available");
    let (title, text) = NOT_AVAILABLE;
    Notice {
        done: false,
        status: StatusCode::NOT_IMPLEMENTED,
        title,
        text,
        link: None,
    }
    .response()
}

/// Redirects the browser.
pub(super) fn redirect(to: &Url) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    match HeaderValue::try_from(to.as_str()) {
        Ok(to) => {
            response.headers_mut().insert(LOCATION, to);
            policy::mark(&mut response, &[]);
            response
        }
        Err(_) => unavailable(),
    }
}
