//! Requisition forms at signed URLs, for users without a key.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, REFERRER_POLICY, X_FRAME_OPTIONS};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use wearlab_service::{Service, SignedForm};

use super::errors::unavailable;
use super::layout::Notice;
use super::parameter::parameter;

/// Headers of the form. It names a patient: no cache stores it, and no linked page learns its URL.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
    (
        CONTENT_DISPOSITION,
        HeaderValue::from_static("inline; filename=\"requisition.pdf\""),
    ),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// `GET /requisition?token=...`
pub(super) async fn show(State(service): State<Arc<Service>>, uri: Uri) -> Response {
    let token = parameter(uri.query().unwrap_or_default().as_bytes(), "token");
    let (status, title, text) = match service.signed_requisition(token.as_deref()).await {
        Ok(SignedForm::Pdf(pdf)) => return (HEADERS, pdf).into_response(),
        Ok(SignedForm::Expired) => (
            StatusCode::GONE,
            "This link has expired",
            "Ask whoever sent it to you for a new one.",
        ),
        Ok(SignedForm::Unknown) => (
            StatusCode::NOT_FOUND,
            "This link is not valid",
            "It may be incomplete. Open it again as it was sent to you.",
        ),
        Err(error) => {
            if error.status() == StatusCode::INTERNAL_SERVER_ERROR {
                tracing::error!(error = &error as &dyn std::error::Error, "a page failed");
            }
            return unavailable();
        }
    };
    Notice {
        done: false,
        status,
        title,
        text,
        link: None,
    }
    .response()
}
