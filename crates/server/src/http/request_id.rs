//! Every request has an id, which is on its response, in every problem and in the log.

use std::fmt;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use wearlab_models::Uuid;

/// The header that carries it, both ways.
pub(crate) const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken from a caller.
const LONGEST: usize = 64;

/// The id of a request, found in the request's extensions, and by [`RequestId::current`] while the request is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

tokio::task_local! {
    static CURRENT: RequestId;
}

impl RequestId {
    /// The id of the request that the task handles. There is none outside of [`finish`](crate::finish) and of
    /// [`Exchange::run`](crate::layers::Exchange::run).
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Runs what handles the request.
    pub(crate) fn scope<F: Future>(self, handling: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, handling)
    }

    /// The caller's id where it is one that can be logged and searched for, or a new one. New ids sort by the time they
    /// were made.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut given = headers.get_all(HEADER).iter();
        match (given.next().and_then(|value| value.to_str().ok()), given.next()) {
            (Some(id), None) if sane(id) => Self(id.into()),
            _ => Self(format!("req_{}", Uuid::now_v7().simple()).into()),
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

fn sane(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(plain)
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
