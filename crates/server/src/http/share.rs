//! Layers upon layers that cost what they do, and not what all of those below them do as well.

use std::sync::Arc;
use std::task::{Context, Poll};

use tower::util::Oneshot;
use tower::{Layer, Service, ServiceExt};

/// A layer that makes copies of a service cheap.
///
/// A middleware of [`axum::middleware::from_fn`] copies the service that it is around for each request, and with it all
/// that this one is around: with many of them, most of a request's time. Put this between two of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share;

/// A service whose copies share it, until they are called.
#[derive(Debug)]
pub struct Shared<S>(Arc<S>);

impl<S> Layer<S> for Share {
    type Service = Shared<S>;

    fn layer(&self, service: S) -> Shared<S> {
        Shared(Arc::new(service))
    }
}

impl<S> Clone for Shared<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R, S: Service<R> + Clone> Service<R> for Shared<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Oneshot<S, R>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        // The copy that is called is waited for.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: R) -> Oneshot<S, R> {
        S::clone(&self.0).oneshot(request)
    }
}
