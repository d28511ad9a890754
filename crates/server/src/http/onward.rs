//! What comes behind a habit.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

/// What answers a request further in: axum's [`Next`], or a function that does something and goes on.
///
/// Each layer of [`axum::middleware::from_fn`] puts what is further in, and what it answers with, into boxes of their own. Habits
/// that stand beside each other are cheaper as one layer, each the function that the one before goes on with.
pub trait Onward: Send {
    /// Answers the request.
    fn run(self, request: Request) -> impl Future<Output = Response> + Send;
}

impl Onward for Next {
    fn run(self, request: Request) -> impl Future<Output = Response> + Send {
        Self::run(self, request)
    }
}

impl<F, R> Onward for F
where
    F: FnOnce(Request) -> R + Send,
    R: Future<Output = Response> + Send,
{
    fn run(self, request: Request) -> impl Future<Output = Response> + Send {
        self(request)
    }
}
