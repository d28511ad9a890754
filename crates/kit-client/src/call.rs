//! Settings of a call, and its operation.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::progress::Watcher;
use crate::{Document, Error, Operation, RetryPolicy, Transport, UploadProgress};

/// Settings of a call beside its parameters.
#[derive(Clone)]
pub struct Call<'a, D: Document> {
    pub(crate) transport: &'a Transport<D>,
    pub(crate) operation: &'static Operation<D>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) headers: HeaderMap,
    /// Callback for the progress of the upload.
    pub(crate) watcher: Option<Watcher>,
    /// Error of a setting, reported when the call is sent, like those of parameters.
    pub(crate) complaint: Option<&'static str>,
}

impl<'a, D: Document> Call<'a, D> {
    /// Creates a call.
    pub fn new(transport: &'a Transport<D>, operation: &'static Operation<D>) -> Self {
        Self {
            transport,
            operation,
            timeout: None,
            deadline: None,
            retry: None,
            headers: HeaderMap::new(),
            watcher: None,
            complaint: None,
        }
    }

    /// Sets the timeout of each attempt.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = Some(timeout);
    }

    /// Sets the timeout of all attempts and pauses.
    pub fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = Some(deadline);
    }

    /// Sets the retries.
    pub fn set_retry(&mut self, policy: RetryPolicy) {
        self.retry = Some(policy);
    }

    /// Adds a header.
    pub fn set_header(&mut self, name: &str, value: &str) {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(mut value)) => {
                // It may be a token: only the service may see it.
                value.set_sensitive(true);
                self.headers.insert(name, value);
            }
            (Err(_), _) => self.complaint = Some("the name of a header is not made of a header's characters"),
            (_, Err(_)) => self.complaint = Some("the value of a header is not printable ASCII"),
        }
    }

    /// Sets the callback for the progress of the upload.
    pub fn set_watcher(&mut self, watch: impl Fn(UploadProgress) + Send + Sync + 'static) {
        self.watcher = Some(Watcher::new(watch));
    }

    /// Reports an invalid setting.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.complaint
            .map_or(Ok(()), |complaint| Err(Error::invalid_request(complaint)))
    }
}

impl<D: Document> fmt::Debug for Call<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("operation", &self.operation.id)
            .field("timeout", &self.timeout)
            .field("deadline", &self.deadline)
            .field("retry", &self.retry)
            .field("headers", &self.headers.keys())
            .finish_non_exhaustive()
    }
}

/// Adds the settings of one call to its builder.
#[doc(hidden)]
#[macro_export]
macro_rules! call_settings {
    () => {
        /// Sets the timeout of each attempt of this call, in place of the client's setting.
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.call.set_timeout(timeout);
            self
        }

        /// Sets the timeout of this call with all its attempts and pauses, in place of the client's setting.
        pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
            self.call.set_deadline(deadline);
            self
        }

        /// Sets whether and how this call is retried, in place of the client's setting.
        pub fn retry(mut self, policy: $crate::RetryPolicy) -> Self {
            self.call.set_retry(policy);
            self
        }

        /// Sends a header with this call, in place of one of the same name. Its value does not show in `Debug`.
        pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
            self.call.set_header(name.as_ref(), value.as_ref());
            self
        }
    };
}

/// Adds the settings of a call that uploads to its builder.
#[doc(hidden)]
#[macro_export]
macro_rules! upload_settings {
    () => {
        /// Sets a callback for the progress of the upload, called for each part of the body that is passed to the
        /// connection. Browsers send the body whole, and never call it.
        pub fn on_progress(mut self, watch: impl Fn($crate::UploadProgress) + Send + Sync + 'static) -> Self {
            self.call.set_watcher(watch);
            self
        }
    };
}
