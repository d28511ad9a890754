//! Errors of a call.

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use crate::body;
use crate::failure::{Failure, TransportError, request_id};
use crate::location;

/// The most bytes that are read of the body of an error response.
const PROBLEM_BYTES: u64 = 1024 * 1024;

/// Error of a call. No variant shows a key, or the body of an unreadable response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call was not sent: a parameter or a setting of the client does not fit.
    #[error("invalid request: {0}")]
    InvalidRequest(String),
    /// The call was not sent: the provider of a token failed
    /// ([`token_provider`](crate::Builder::token_provider)).
    #[error("the token cannot be obtained: {0}")]
    Token(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// 304: the content still has the entity tag that was sent in the header `If-None-Match`. `send_if_none_match` gives
    /// `None` in place of this error.
    #[error("not modified: {0}")]
    NotModified(Failure),
    /// 401: the key or token is missing, unknown, expired or revoked.
    #[error("unauthorized: {0}")]
    Unauthorized(Failure),
    /// 403: the key is valid, and lacks the scope of the operation.
    #[error("forbidden: {0}")]
    Forbidden(Failure),
    /// 404: there is no such object, or it belongs to another team.
    #[error("not found: {0}")]
    NotFound(Failure),
    /// 409: conflicts with an existing object, see [`Failure::conflict`].
    #[error("conflict: {0}")]
    Conflict(Failure),
    /// 412: the object has changed since it was read: its entity tag is not one in `If-Match`.
    #[error("precondition failed: {0}")]
    PreconditionFailed(Failure),
    /// 422: validation failed, see [`Failure::violations`].
    #[error("validation failed: {0}")]
    Invalid(Failure),
    /// 429: too many requests, see [`Failure::retry_after`].
    #[error("rate limited: {0}")]
    RateLimited(Failure),
    /// 5xx: the service failed, or cannot answer for now.
    #[error("the service failed: {0}")]
    Server(Failure),
    /// Any other status that is not a success.
    #[error("unexpected response: {0}")]
    Unexpected(Failure),
    /// The call timed out.
    #[error(transparent)]
    Timeout(TransportError),
    /// The service was not reached, or the connection broke before the response was whole.
    #[error(transparent)]
    Transport(TransportError),
    /// A successful response that is not of the expected form.
    #[error("the response cannot be read at `{path}` (line {line}, column {column})")]
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
    /// A header of a successful response that is missing, or not of the expected form.
    #[error("the header `{name}` of the response is missing or cannot be read")]
    Header {
        /// The name of the header.
        name: String,
        /// The request's id.
        request_id: Option<String>,
    },
    /// The body of a successful response is longer than the client reads:
    /// [`max_response_bytes`](crate::Builder::max_response_bytes).
    #[error("the response is longer than {limit} bytes: ask for less at once, or raise `max_response_bytes`")]
    TooLarge {
        /// The most bytes that the client reads.
        limit: u64,
        /// The request's id.
        request_id: Option<String>,
    },
    /// A next page that the list already had, or that cannot be requested.
    #[error(
        "pagination made no progress: the service repeats a page or its position, or names the next one in another form"
    )]
    Paging,
}

impl Error {
    /// The error response, where there was one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::NotModified(failure)
            | Self::Unauthorized(failure)
            | Self::Forbidden(failure)
            | Self::NotFound(failure)
            | Self::Conflict(failure)
            | Self::PreconditionFailed(failure)
            | Self::Invalid(failure)
            | Self::RateLimited(failure)
            | Self::Server(failure)
            | Self::Unexpected(failure) => Some(failure),
            _ => None,
        }
    }

    /// The status of the error response, where there was one.
    pub fn status(&self) -> Option<StatusCode> {
        self.failure().map(Failure::status)
    }

    /// The request's id, for questions to the operator of the service. None without a response.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Decoding { request_id, .. } | Self::Header { request_id, .. } | Self::TooLarge { request_id, .. } => {
                request_id.as_deref()
            }
            Self::Timeout(error) | Self::Transport(error) => error.request_id(),
            other => other.failure().and_then(Failure::request_id),
        }
    }

    /// Returns whether the same call is likely to succeed later: 429, 502, 503 and 504, and connections that failed. A
    /// call that timed out once it was connected is none of these: the service may be at work on it.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited(_) => true,
            Self::Server(failure) => matches!(failure.status().as_u16(), 502..=504),
            Self::Transport(error) => !error.is_builder(),
            Self::Timeout(error) => error.is_connect(),
            _ => false,
        }
    }

    /// Returns whether there was no connection, so that the service has not received the call.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self, Self::Transport(error) | Self::Timeout(error) if error.is_connect())
    }

    /// The kind of error, in a word without data of the call.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::InvalidRequest(_) => "invalid request",
            Self::Token(_) => "no token",
            Self::NotModified(_) => "not modified",
            Self::Unauthorized(_) => "unauthorized",
            Self::Forbidden(_) => "forbidden",
            Self::NotFound(_) => "not found",
            Self::Conflict(_) => "conflict",
            Self::PreconditionFailed(_) => "precondition failed",
            Self::Invalid(_) => "validation failed",
            Self::RateLimited(_) => "rate limited",
            Self::Server(_) => "server",
            Self::Unexpected(_) => "unexpected",
            Self::Timeout(_) => "timed out",
            Self::Transport(_) => "connection",
            Self::Decoding { .. } | Self::Header { .. } => "decoding",
            Self::TooLarge { .. } => "too large",
            Self::Paging => "paging",
        }
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::InvalidRequest(message.into())
    }

    /// An error response.
    pub(crate) async fn from_response(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        // A longer body is not a problem document.
        let body = body::read(response, PROBLEM_BYTES).await.unwrap_or_default();
        Self::of(status, &headers, &body)
    }

    pub(crate) fn of(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let failure = Failure::new(status, headers, body);
        match status.as_u16() {
            304 => Self::NotModified(failure),
            401 => Self::Unauthorized(failure),
            403 => Self::Forbidden(failure),
            404 => Self::NotFound(failure),
            409 => Self::Conflict(failure),
            412 => Self::PreconditionFailed(failure),
            422 => Self::Invalid(failure),
            429 => Self::RateLimited(failure),
            500..=599 => Self::Server(failure),
            _ => Self::Unexpected(failure),
        }
    }

    /// A call without a whole response; `request_id` where one had begun.
    pub(crate) fn broken(error: reqwest::Error, request_id: Option<&str>) -> Self {
        let error = TransportError::new(error, request_id);
        if error.is_timeout() {
            Self::Timeout(error)
        } else {
            Self::Transport(error)
        }
    }

    /// A body that is not of its type. The value at the position is not shown: it may be personal data.
    pub(crate) fn decoding(error: &serde_json::Error, body: &[u8], headers: &HeaderMap) -> Self {
        Self::Decoding {
            path: location::path(body, error),
            line: error.line(),
            column: error.column(),
            request_id: request_id(headers).map(str::to_owned),
        }
    }
}
