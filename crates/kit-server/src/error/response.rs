//! Responses of errors: the one place where an error becomes a problem document (RFC 9457).

use std::sync::{Arc, Mutex};

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use wearlab_kit_types::{Encoded, Problem};

use super::{ApiError, MapError};
use crate::Document;

impl ApiError {
    /// The response to a request of the given path and id.
    pub(crate) fn response_for<D: Document>(self, map: Option<&MapError>, instance: &str, id: &str) -> Response {
        if let Some(source) = &self.source {
            // The line has the context of its request.
            tracing::error!(error = chain(source.as_ref()), "request failed");
        }
        let error = match map {
            Some(map) => map.apply(self),
            None => self,
        };
        let kind = format!("{}{}", D::PROBLEMS, error.kind);
        let mut response = error.response(Some(kind), Some((instance, id)));
        if error.status == StatusCode::UNAUTHORIZED {
            for challenge in D::CHALLENGES {
                let challenge = HeaderValue::from_static(challenge);
                response.headers_mut().append(WWW_AUTHENTICATE, challenge);
            }
        }
        response
    }

    fn response(&self, kind: Option<String>, request: Option<(&str, &str)>) -> Response {
        let problem = Problem::builder()
            .maybe_type_(kind)
            .title(self.status.canonical_reason().unwrap_or("Error"))
            .status(i32::from(self.status.as_u16()))
            .maybe_detail(self.detail.as_deref())
            .maybe_instance(request.map(|(instance, _)| instance))
            .maybe_request_id(request.map(|(_, id)| id))
            .errors(self.violations.clone())
            .maybe_conflict(self.conflict.as_deref().cloned())
            .build();
        let problem = || Encoded::encode(&problem).map(Encoded::into_bytes).unwrap_or_default();
        let (media_type, body) = match self.body() {
            Some((media_type, body)) => (*media_type, body.clone()),
            None => ("application/problem+json", problem()),
        };
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        for (name, value) in self.own.iter().flat_map(|own| &own.headers) {
            headers.append(name, value.clone());
        }
        if let Some(wait) = self.retry_after {
            // Rounded up: a caller that returns early would be rejected again.
            headers.insert(
                RETRY_AFTER,
                HeaderValue::from(wait.as_secs_f64().ceil().max(1.0) as u64),
            );
        }
        response
    }
}

/// The chain of an error and its sources, outermost first.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl IntoResponse for ApiError {
    /// The problem document. The layer of [`finish`](crate::finish) adds the data of the request and of the document:
    /// the URI of the kind, and the challenge of a 401.
    fn into_response(self) -> Response {
        let mut response = self.response(None, None);
        response.extensions_mut().insert(Pending::new(self));
        response
    }
}

/// An error before the layer that writes its body.
#[derive(Clone)]
pub(crate) struct Pending(Arc<Mutex<Option<ApiError>>>);

impl Pending {
    fn new(error: ApiError) -> Self {
        Self(Arc::new(Mutex::new(Some(error))))
    }

    pub(crate) fn take(self) -> Option<ApiError> {
        self.0.lock().ok()?.take()
    }
}
