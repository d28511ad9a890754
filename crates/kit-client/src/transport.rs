//! Transport of a client, with its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;

use crate::addresses::Addresses;
use crate::credentials::Credentials;
use crate::{Document, RetryPolicy};

/// The connections and the settings of a client. It is cheap to clone, and clones share their connections.
#[derive(Clone)]
pub struct Transport<D: Document> {
    pub(crate) inner: Arc<Inner<D>>,
}

pub(crate) struct Inner<D: Document> {
    pub(crate) http: reqwest::Client,
    pub(crate) times: Times,
    pub(crate) retry: RetryPolicy,
    /// The most bytes of a response's body.
    pub(crate) max_response_bytes: u64,
    pub(crate) user_agent: Option<HeaderValue>,
    pub(crate) addresses: Addresses<D>,
    pub(crate) credentials: Credentials<D>,
}

/// Timeouts of calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// Each attempt.
    pub(crate) timeout: Option<Duration>,
    /// All attempts and the pauses between them.
    pub(crate) deadline: Option<Duration>,
    /// The default deadline. An attempt that may take longer has that time.
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

impl<D: Document> fmt::Debug for Transport<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport")
            .field("addresses", &self.inner.addresses)
            .field("credentials", &self.inner.credentials)
            .field("times", &self.inner.times)
            .field("retry", &self.inner.retry)
            .finish_non_exhaustive()
    }
}
