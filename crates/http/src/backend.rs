//! Back end that an HTTP server runs: readiness, and size of the store.

use std::future::Future;

use wearlab_server::{ApiError, Partial};

/// Back end of a service, which reports its readiness.
pub trait Backend: Send + Sync + 'static {
    /// Checks that the store can be reached.
    ///
    /// # Errors
    ///
    /// An error with the reason if it cannot.
    fn ready(&self) -> impl Future<Output = Result<(), ApiError>> + Send;

    /// Returns the size of the store, for `/metrics`; none if it cannot be read now.
    fn store_state(&self) -> impl Future<Output = Option<StoreState>> + Send {
        std::future::ready(None)
    }

    /// Ends streams that their callers would keep open: the service is shutting down.
    fn end_streams(&self) {}
}

/// Size of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreState {
    /// Bytes on disk.
    pub bytes: u64,
    /// Number of the last event ever written.
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
