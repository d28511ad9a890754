//! 500 for a handler that panics.

use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::onward::Onward;
use crate::ApiError;

/// Answers a panic further in with a problem that says nothing of it, and keeps the connection.
pub async fn catch_panics<N: Onward>(request: Request, next: N) -> Response {
    // What a handler left half done is dropped with it; what handlers share must hold out a panic by itself.
    let outcome = AssertUnwindSafe(async { next.run(request).await }).catch_unwind().await;
    // The panic hook has its place; its message may say what nobody is to read in a log.
    outcome.unwrap_or_else(|_| ApiError::internal("a handler panicked").into_response())
}
