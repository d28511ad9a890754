//! Transport over HTTP, without sessions.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::error::Error;
use crate::server::Server;
use crate::tools::Tools;

const PATH: &str = "/mcp";

/// Serves an address without end, after it printed the URL. Requests of other hosts, and those of pages in browsers, are
/// refused.
pub(crate) async fn serve<T: Tools>(server: Server<T>, address: SocketAddr, hosts: Vec<String>) -> Result<(), Error> {
    let failed = |error: io::Error| Error::Transport(format!("cannot listen on {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let printed = writeln!(io::stdout(), "http://{bound}{PATH}");
    printed.map_err(|error| Error::Transport(format!("cannot print the URL: {error}")))?;
    axum::serve(listener, router(server, hosts)).await.map_err(failed)
}

fn router<T: Tools>(server: Server<T>, hosts: Vec<String>) -> Router {
    let mut config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .enforce_origin_validation();
    config.allowed_hosts.extend(hosts);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new().route_service(PATH, service)
}
