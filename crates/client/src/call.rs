//! What all calls have in common: where they go, and the settings of one call.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::{Client, Error, Operation, RetryPolicy};

/// What a call has beside its parameters.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    pub(crate) client: &'a Client,
    pub(crate) operation: &'static Operation,
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) headers: HeaderMap,
    /// What is wrong with a setting. It is reported when the call is sent, as for parameters.
    pub(crate) complaint: Option<&'static str>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(client: &'a Client, operation: &'static Operation) -> Self {
        Self {
            client,
            operation,
            timeout: None,
            deadline: None,
            retry: None,
            headers: HeaderMap::new(),
            complaint: None,
        }
    }

    pub(crate) fn set_header(&mut self, name: &str, value: &str) {
        match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(mut value)) => {
                // It may be a token: nobody but the service is to see it.
                value.set_sensitive(true);
                self.headers.insert(name, value);
            }
            (Err(_), _) => self.complaint = Some("the name of a header is not made of a header's characters"),
            (_, Err(_)) => self.complaint = Some("the value of a header is not printable ASCII"),
        }
    }

    /// Reports a setting that cannot be sent.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.complaint
            .map_or(Ok(()), |complaint| Err(Error::invalid_request(complaint)))
    }
}

impl fmt::Debug for Call<'_> {
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

/// The settings of one call, as methods of its builder.
macro_rules! call_settings {
    () => {
        /// How long each attempt of this call may take, in place of the client's setting.
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.call.timeout = Some(timeout);
            self
        }

        /// How long this call may take with all its attempts and pauses, in place of the client's setting.
        pub fn deadline(mut self, deadline: std::time::Duration) -> Self {
            self.call.deadline = Some(deadline);
            self
        }

        /// Whether and how this call is tried again, in place of the client's setting.
        pub fn retry(mut self, policy: crate::RetryPolicy) -> Self {
            self.call.retry = Some(policy);
            self
        }

        /// Sends a header with this call, in place of one of the same name. Its value does not show in `Debug`.
        pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
            self.call.set_header(name.as_ref(), value.as_ref());
            self
        }
    };
}

pub(crate) use call_settings;
