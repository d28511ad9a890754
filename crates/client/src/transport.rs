//! The client itself, and what is known of operations.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderValue;
use tracing::Span;

use crate::addresses::Addresses;
use crate::credentials::Credentials;
use crate::operations::{Credential, Server};
use crate::{ClientBuilder, Error, RetryPolicy};

/// A client of the service. It is cheap to clone, and clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) http: reqwest::Client,
    pub(crate) times: Times,
    pub(crate) retry: RetryPolicy,
    /// How long the body of a response may be.
    pub(crate) max_response_bytes: u64,
    pub(crate) user_agent: Option<HeaderValue>,
    pub(crate) addresses: Addresses,
    pub(crate) credentials: Credentials,
}

/// How long calls may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// Each attempt.
    pub(crate) timeout: Option<Duration>,
    /// All attempts and the pauses between them.
    pub(crate) deadline: Option<Duration>,
    /// The deadline where none is set. An attempt that may take longer has that time.
    pub(crate) usual_deadline: Option<Duration>,
}

impl Times {
    /// The deadline of a call that has settings of its own.
    pub(crate) fn deadline(&self, timeout: Option<Duration>, deadline: Option<Duration>) -> Option<Duration> {
        let usual = self
            .usual_deadline
            .map(|usual| usual.max(timeout.or(self.timeout).unwrap_or_default()));
        deadline.or(self.deadline).or(usual)
    }
}

/// What is known of an operation before it is called.
#[non_exhaustive]
pub struct Operation {
    /// Its `operationId`, which is also the name of its method.
    pub id: &'static str,
    /// Its method.
    pub method: Method,
    /// Its path, with parameters in braces.
    pub path: &'static str,
    /// The address it is answered at.
    pub server: Server,
    /// The alternatives of credentials that it takes, each a list of those that are sent together; empty if it takes none.
    pub security: &'static [&'static [Credential]],
    /// Opens a span that is named after it: the name of a span is part of the code.
    pub(crate) span: fn() -> Span,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("id", &self.id)
            .field("method", &self.method)
            .field("path", &self.path)
            .field("server", &self.server)
            .field("security", &self.security)
            .finish()
    }
}

/// A span for a call. It has no value of a parameter, no key and no address.
macro_rules! span {
    ($name:literal) => {
        tracing::info_span!(
            target: crate::request::TARGET,
            $name,
            tries = tracing::field::Empty,
            http.response.status_code = tracing::field::Empty,
            request_id = tracing::field::Empty,
        )
    };
}

pub(crate) use span;

impl Client {
    /// Begins a client.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// The client that the environment describes: see [`ClientBuilder::from_env`].
    ///
    /// # Errors
    ///
    /// As [`ClientBuilder::build`].
    pub fn from_env() -> Result<Self, Error> {
        ClientBuilder::from_env().build()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("addresses", &self.inner.addresses)
            .field("credentials", &self.inner.credentials)
            .field("times", &self.inner.times)
            .field("retry", &self.inner.retry)
            .finish_non_exhaustive()
    }
}
