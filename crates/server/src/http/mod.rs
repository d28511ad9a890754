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
pub mod layers {
    pub use super::accept::refuse_unacceptable;
    pub use super::answers::complete_answers;
    pub use super::conditional::answer_conditionally;
    pub use super::onward::Onward;
    pub use super::panics::catch_panics;
    pub use super::routing::{operation_of, with_back_end};
    pub use super::share::{Share, Shared};
}
