//! Why a call has no answer.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, InvalidHeaderValue, RETRY_AFTER};
use serde::de::DeserializeOwned;
use wearlab_models::{Problem, Violation};

/// Why a call has no answer. No variant shows a key, and none the body of an answer that could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call was not sent: a parameter or a setting of the client does not fit.
    #[error("invalid request: {0}")]
    InvalidRequest(String),
    /// 401: the key or token is missing, unknown, expired or revoked.
    #[error("unauthorized: {0}")]
    Unauthorized(Failure),
    /// 404: there is no such object, or it belongs to another team.
    #[error("not found: {0}")]
    NotFound(Failure),
    /// 422: parameters were refused; [`Failure::violations`] says which.
    #[error("refused: {0}")]
    Invalid(Failure),
    /// 429: too many requests; [`Failure::retry_after`] says how long to wait.
    #[error("rate limited: {0}")]
    RateLimited(Failure),
    /// 5xx: the service failed, or cannot answer for now.
    #[error("the service failed: {0}")]
    Server(Failure),
    /// Any other status that is no success.
    #[error("unexpected answer: {0}")]
    Unexpected(Failure),
    /// The call took longer than it may.
    #[error("timed out")]
    Timeout(#[source] reqwest::Error),
    /// The service was not reached, or the connection broke before the answer was whole.
    #[error("the connection to the service failed")]
    Transport(#[source] reqwest::Error),
    /// A successful answer that is not of the expected form.
    #[error("the answer cannot be read at `{path}` (line {line}, column {column})")]
    Decoding {
        /// The place in the JSON text, such as `users[3].created_on`.
        path: String,
        /// The line of the JSON text, from 1.
        line: usize,
        /// The column in the line.
        column: usize,
        /// The request's id.
        request_id: Option<String>,
    },
    /// A page whose next page is itself.
    #[error("paging does not move on: the service repeats a position")]
    Paging,
}

/// An answer that is no success.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    status: StatusCode,
    problem: Option<Box<Problem>>,
    request_id: Option<String>,
    retry_after: Option<Duration>,
}

impl Failure {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The problem document, where the answer had one.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_deref()
    }

    /// The parameters that were refused, and why.
    pub fn violations(&self) -> &[Violation] {
        self.problem
            .as_ref()
            .map(|problem| problem.errors.as_slice())
            .unwrap_or_default()
    }

    /// The request's id, for questions to the operator of the service.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// How long the service asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.status)?;
        if let Some(detail) = self.problem.as_ref().and_then(|problem| problem.detail.as_deref()) {
            write!(f, ": {detail}")?;
        }
        for violation in self.violations() {
            write!(f, " {} {}.", violation.location, violation.message)?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request {id})")?;
        }
        Ok(())
    }
}

impl Error {
    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::InvalidRequest(message.into())
    }

    /// The answer that is no success, where there was one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Unauthorized(failure)
            | Self::NotFound(failure)
            | Self::Invalid(failure)
            | Self::RateLimited(failure)
            | Self::Server(failure)
            | Self::Unexpected(failure) => Some(failure),
            _ => None,
        }
    }

    /// The request's id, for questions to the operator of the service.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Decoding { request_id, .. } => request_id.as_deref(),
            other => other.failure().and_then(Failure::request_id),
        }
    }

    /// Reads an answer that is no success. It may come from a proxy, and be no problem document.
    pub(crate) async fn from_response(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await.unwrap_or_default();
        let failure = Failure {
            status,
            problem: serde_json::from_slice(&body).ok(),
            request_id: request_id(&headers).map(str::to_owned),
            retry_after: retry_after(&headers),
        };
        match status.as_u16() {
            401 => Self::Unauthorized(failure),
            404 => Self::NotFound(failure),
            422 => Self::Invalid(failure),
            429 => Self::RateLimited(failure),
            500..=599 => Self::Server(failure),
            _ => Self::Unexpected(failure),
        }
    }

    /// Finds the place at which a body is not a `T`. What stands there is not told: it may be anybody's data.
    pub(crate) fn decoding<T: DeserializeOwned>(body: &[u8], headers: &HeaderMap) -> Self {
        let mut json = serde_json::Deserializer::from_slice(body);
        let (path, line, column) = match serde_path_to_error::deserialize::<_, T>(&mut json) {
            Err(error) => (error.path().to_string(), error.inner().line(), error.inner().column()),
            // The value alone is well-formed: something follows it.
            Ok(_) => (".".to_owned(), 1, body.len()),
        };
        Self::Decoding {
            path,
            line,
            column,
            request_id: request_id(headers).map(str::to_owned),
        }
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        // The address may hold what was searched for.
        let error = error.without_url();
        if error.is_timeout() {
            Self::Timeout(error)
        } else {
            Self::Transport(error)
        }
    }
}

impl From<InvalidHeaderValue> for Error {
    fn from(_: InvalidHeaderValue) -> Self {
        Self::invalid_request("a header parameter is not printable ASCII")
    }
}

pub(crate) fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-request-id")?.to_str().ok()
}

/// `Retry-After` in seconds; its other form, a date, is not used by the service.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
