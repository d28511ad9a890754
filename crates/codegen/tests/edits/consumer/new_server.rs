//! Calls and serves the new server.

use std::sync::Arc;

use wearlab_client::operations::{GET_OAUTH_PROVIDER, Server};
use wearlab_client::{Client, Error};
use wearlab_server::{Partial, finish, link_routes};

use crate::service::Service;

/// The client.
pub fn client() -> Result<Client, Error> {
    assert_eq!(GET_OAUTH_PROVIDER.server, Server::Link);
    Client::builder()
        .base_url("http://127.0.0.1:8080")
        .address(Server::Link, "http://127.0.0.1:8081")
        .build()
}

/// Serves only that server.
pub fn serve() {
    drop(finish(link_routes::<Partial<Service>>(), Arc::new(Partial(Service))));
}
