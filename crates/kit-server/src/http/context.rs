//! Context of the request that a task handles, for lines of the log.

use std::borrow::Cow;

use serde::Serialize;

use super::request_id::RequestId;

/// Context of a request, for lines of the log.
///
/// It has the route, not the path: a path names people, and a query has searched values.
#[derive(Clone, Debug, Serialize)]
pub struct RequestContext {
    /// The id of the request.
    pub request_id: RequestId,
    /// The method, or `other` if it is not a standard one: that is the caller's text.
    pub method: &'static str,
    /// The route, such as `/v2/user/{user_id}`, if one matches the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<Cow<'static, str>>,
    /// The id of the operation, if it is one of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<&'static str>,
}

tokio::task_local! {
    /// Context of the request that the task handles.
    pub(super) static CURRENT: RequestContext;
}

impl RequestContext {
    /// Reads the context of the request that the task handles. There is none outside of [`finish`](crate::finish)
    /// and of [`RequestScope::run`](crate::layers::RequestScope::run).
    pub fn current<T>(look: impl FnOnce(&Self) -> T) -> Option<T> {
        CURRENT.try_with(look).ok()
    }
}

impl RequestId {
    /// The id of the request that the task handles. There is none outside of [`finish`](crate::finish) and of
    /// [`RequestScope::run`](crate::layers::RequestScope::run).
    pub fn current() -> Option<Self> {
        RequestContext::current(|context| context.request_id)
    }
}
