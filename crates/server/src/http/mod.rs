//! What is the same for every request and every answer: one habit a file, and `routing.rs` puts them in order.

mod accept;
mod answers;
mod conditional;
mod content;
mod header_prefix;
mod onward;
mod panics;
mod request_id;
mod routing;
mod share;

pub use self::content::content;
pub use self::header_prefix::{HeaderPrefix, InvalidPrefix};
pub use self::request_id::RequestId;
pub use self::routing::finish;

/// The habits of [`finish`], each by itself, for a stack of one's own.
///
/// Each goes on with axum's `Next` as a layer of its own, or with a function, so that several are one layer. The innermost is
/// named first then:
///
/// ```
/// use axum::Router;
/// use axum::extract::Request;
/// use axum::middleware::{Next, from_fn};
/// use axum::response::Response;
/// use wearlab_server::layers::{answer_conditionally, catch_panics, complete_answers};
///
/// async fn habits(request: Request, next: Next) -> Response {
///     let next = |request| catch_panics(request, next);
///     let next = |request| answer_conditionally(request, next);
///     complete_answers(request, next).await
/// }
///
/// let together: Router = Router::new().layer(from_fn(habits));
/// let by_themselves: Router = Router::new()
///     .layer(from_fn(catch_panics::<Next>))
///     .layer(from_fn(answer_conditionally::<Next>))
///     .layer(from_fn(complete_answers::<Next>));
/// ```
pub mod layers {
    pub use super::accept::refuse_unacceptable;
    pub use super::answers::complete_answers;
    pub use super::conditional::answer_conditionally;
    pub use super::onward::Onward;
    pub use super::panics::catch_panics;
    pub use super::routing::{operation_of, with_back_end};
    pub use super::share::{Share, Shared};
}
