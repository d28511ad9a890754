//! Reference for reads: a bare axum handler.

use std::path::Path;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

/// Serves the bytes of a file at every path, at an address that it prints, until it is killed.
pub(crate) fn serve(file: &Path) -> Result<()> {
    let body = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let body = Bytes::from(body);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}", listener.local_addr()?);
        let response = move || async move { ([(CONTENT_TYPE, "application/json")], body) };
        Ok(axum::serve(listener, Router::new().route("/{*path}", get(response))).await?)
    })
}
