//! Middleware of every request and response: one concern a file, in the order of `routing.rs`.

mod accept;
mod conditional;
mod content;
mod context;
mod get_router;
mod header_prefix;
mod operation;
mod request_id;
mod request_scope;
mod routing;
mod value;

pub(crate) use self::content::versioned;
pub use self::content::{check_if_match, check_if_match_of_version, content};
pub use self::get_router::Reads;
pub use self::header_prefix::{HeaderPrefix, InvalidPrefix};
pub use self::request_id::RequestId;
pub use self::routing::finish;

/// The parts of [`finish`], for routers with further layers in between.
///
/// Most are values made of the request before it is passed on, with a method that takes the response. So a middleware
/// of [`axum::middleware::from_fn`] can hold several of them: each such middleware costs a copy of the inner service
/// and two allocations a request, these cost nothing beside their work. [`GetRouter`](layers::GetRouter) needs no
/// router, either.
pub mod layers {
    pub use super::accept::Accepted;
    pub use super::conditional::IfNoneMatch;
    pub use super::context::RequestContext;
    pub use super::get_router::{GetMatch, GetRouter};
    pub use super::operation::operation_of;
    pub use super::request_scope::{REQUEST_SPAN, RequestScope};
    pub use super::routing::{catch_panic, with_back_end};
}
