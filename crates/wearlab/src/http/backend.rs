//! The back end that the HTTP service runs: readiness, size of the store, and pages.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use wearlab_server::{ApiError, Partial};

/// The back end of a service, which reports its readiness.
pub trait Backend: Send + Sync + 'static {
    /// Checks that the store can be reached.
    ///
    /// # Errors
    ///
    /// The reason why it cannot.
    fn ready(&self) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Returns the size of the store, for `/metrics`. None where it cannot be read now.
    fn store_state(&self) -> impl Future<Output = Option<StoreState>> + Send {
        std::future::ready(None)
    }

    /// Ends streams that would stay open for as long as their callers like: the service is shutting down.
    fn end_streams(&self) {}

    /// Pages for browsers, at the address of the interface.
    fn pages() -> Router<Arc<Self>>
    where
        Self: Sized,
    {
        Router::new()
    }

    /// Pages for browsers, at the address of the management area.
    fn management_pages(self: &Arc<Self>) -> Router<Arc<Self>>
    where
        Self: Sized,
    {
        Router::new()
    }
}

/// The size of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreState {
    /// Bytes that it takes of a disk.
    pub bytes: u64,
    /// The number of the last event that there ever was.
    pub last_event: i64,
}

impl<T: Backend> Backend for Partial<T> {
    fn ready(&self) -> impl Future<Output = Result<(), ApiError>> + Send {
        self.0.ready()
    }

    fn store_state(&self) -> impl Future<Output = Option<StoreState>> + Send {
        self.0.store_state()
    }

    fn end_streams(&self) {
        self.0.end_streams();
    }
}
