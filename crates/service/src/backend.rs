//! Implementation of the back end of an HTTP server.

use wearlab_http::{Backend, StoreState};
use wearlab_server::ApiError;

use super::Service;
use super::errors::store_error;

impl Backend for Service {
    async fn ready(&self) -> Result<(), ApiError> {
        self.store()?.check().await.map_err(store_error)
    }

    async fn store_state(&self) -> Option<StoreState> {
        let store = self.store().ok()?;
        Some(StoreState {
            bytes: store.bytes().await.ok()?,
            last_event: store.last_event_number().await.ok()?,
        })
    }

    fn end_streams(&self) {
        self.stopping.send_replace(true);
    }
}
