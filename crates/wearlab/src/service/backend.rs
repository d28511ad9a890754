//! The service as the back end of an HTTP server, with its pages.

use std::sync::Arc;

use axum::Router;

use wearlab_server::ApiError;

use super::Service;
use super::errors::store_error;
use crate::console;
use crate::http::{Backend, StoreState};
use crate::pages;

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

    fn pages() -> Router<Arc<Self>> {
        pages::routes()
    }

    fn management_pages(self: &Arc<Self>) -> Router<Arc<Self>> {
        console::routes(self.clone())
    }
}
