//! What a call is answered with.

use std::time::Duration;

use wiremock::{Mock, MockBuilder, MockServer, ResponseTemplate};

use crate::{Operation, When};

/// A mock that is whole. [`mount`](Self::mount) puts it on a server.
#[must_use = "a mock answers nothing until it is mounted"]
pub struct Then {
    when: MockBuilder,
    answer: ResponseTemplate,
}

impl Then {
    pub(crate) fn new<O: Operation>(when: When<O>, answer: ResponseTemplate) -> Self {
        Self {
            when: Mock::given(when),
            answer,
        }
    }

    /// Adds a header to the answer.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.answer = self.answer.insert_header(name, value);
        self
    }

    /// Answers after a while.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.answer = self.answer.set_delay(delay);
        self
    }

    /// The mock as `wiremock` has it: to say how often it is expected, or how often it answers.
    pub fn mock(self) -> Mock {
        self.when.respond_with(self.answer)
    }

    /// Puts the mock on a server, for as long as that runs.
    pub async fn mount(self, server: &MockServer) {
        self.mock().mount(server).await;
    }
}

impl From<Then> for Mock {
    fn from(then: Then) -> Self {
        then.mock()
    }
}
