//! Responses of mocks, and complete mocks.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use wearlab_kit_types::Problem;
use wiremock::{MockBuilder, ResponseTemplate, Times};

use crate::server::{Description, MockServer};
use crate::when::{Calls, Conditions, Operation, Shared};

/// The response of a problem. After a 429 or 503, a call may retry after a second.
pub fn problem(status: u16, detail: impl Into<String>) -> ResponseTemplate {
    let title = StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason());
    let problem = Problem::builder()
        .title(title.unwrap_or("Error"))
        .status(i32::from(status))
        .detail(detail.into())
        .build();
    let answer = ResponseTemplate::new(status);
    let answer = match status {
        429 | 503 => answer.insert_header("retry-after", "1"),
        _ => answer,
    };
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    answer.set_body_raw(body, "application/problem+json")
}

/// A complete mock. [`mount`](Self::mount) puts it on a server.
#[must_use = "a mock does nothing until it is mounted"]
pub struct Then {
    when: MockBuilder,
    description: Description,
    answer: ResponseTemplate,
}

impl Then {
    /// Calls of an operation that meet conditions, and their response.
    #[doc(hidden)]
    pub fn new<O: Operation>(conditions: Conditions, answer: ResponseTemplate) -> Self {
        let when = Arc::new(Calls::<O>::new(conditions));
        Self {
            when: wiremock::Mock::given(Shared(Arc::clone(&when))),
            description: Arc::new(move |request| when.describe(request)),
            answer,
        }
    }

    /// Adds a header to the response.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.answer = self.answer.insert_header(name, value);
        self
    }

    /// Adds the headers that the document declares for the response, such as `models::CreateThingHeaders`. One that is
    /// absent is not sent.
    pub fn headers(mut self, headers: &impl Serialize) -> Self {
        let headers = serde_json::to_value(headers).unwrap_or_default();
        for (name, value) in headers.as_object().into_iter().flatten() {
            match value {
                Value::Null => {}
                Value::String(text) => self = self.header(name, text),
                other => self = self.header(name, &other.to_string()),
            }
        }
        self
    }

    /// Delays the response.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.answer = self.answer.set_delay(delay);
        self
    }

    /// Converts it to a mock with expectations and limits.
    pub fn mock(self) -> Mock {
        Mock {
            inner: self.when.respond_with(self.answer),
            description: self.description,
        }
    }

    /// Puts the mock on a server, for as long as that runs.
    pub async fn mount(self, server: &MockServer) {
        self.mock().mount(server).await;
    }
}

/// A mock with settings of its own. [`mount`](Self::mount) puts it on a server.
#[must_use = "a mock does nothing until it is mounted"]
pub struct Mock {
    inner: wiremock::Mock,
    description: Description,
}

impl Mock {
    /// Sets the expected number of calls: the server panics at its end, or when it is verified, if the number differs.
    pub fn expect(mut self, times: impl Into<Times>) -> Self {
        self.inner = self.inner.expect(times);
        self
    }

    /// Sets the maximum number of requests that it responds to; then it matches none.
    pub fn up_to_n_times(mut self, times: u64) -> Self {
        self.inner = self.inner.up_to_n_times(times);
        self
    }

    /// Priority among matching mocks: the one with the lowest number responds, from 1. Default: 5.
    pub fn with_priority(mut self, priority: u8) -> Self {
        self.inner = self.inner.with_priority(priority);
        self
    }

    /// Sets its name in the message of a failed expectation.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.inner = self.inner.named(name);
        self
    }

    /// Puts it on a server, for as long as that runs.
    pub async fn mount(self, server: &MockServer) {
        server.note(self.description);
        self.inner.mount(server).await;
    }
}

/// The mock of `wiremock`, for settings that this crate has no method for. On a server of ours it responds as well, and
/// is not listed where no mock fits.
impl From<Mock> for wiremock::Mock {
    fn from(mock: Mock) -> Self {
        mock.inner
    }
}

impl From<Then> for wiremock::Mock {
    fn from(then: Then) -> Self {
        then.mock().inner
    }
}
