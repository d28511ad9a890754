//! Reference for reads of samples: the same pages as structs in memory, serialized by serde for each request.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use wearlab_models::SamplePage;

use crate::population::KEY;
use crate::service::KEY_HEADER;

/// Serves the pages of a file, one in each line, at an address that it prints, until it is killed.
pub(crate) fn serve(file: &Path) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let pages: serde_json::Result<Vec<SamplePage>> = text.lines().map(serde_json::from_str).collect();
    let mut pages = pages?;
    let count = pages.len();
    for (number, page) in pages.iter_mut().enumerate() {
        page.next_cursor = (number + 1 < count).then(|| (number + 1).to_string());
        page.next.clone_from(&page.next_cursor);
    }
    let pages: &'static [SamplePage] = pages.leak();
    let router = Router::new().route("/{*path}", get(page)).with_state(pages);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}", listener.local_addr()?);
        Ok(axum::serve(listener, router).await?)
    })
}

async fn page(State(pages): State<&'static [SamplePage]>, uri: Uri) -> Response {
    // The cursor of a page is its number. The first one has none.
    let cursor = uri.query().and_then(|query| query.split_once("next_cursor="));
    let page = pages.get(cursor.and_then(|(_, number)| number.parse().ok()).unwrap_or(0));
    match page.map(serde_json::to_vec) {
        Some(Ok(body)) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Reads all pages from a URL with a query, and calls `each` with each body.
pub(super) async fn each(client: &reqwest::Client, url: &str, mut each: impl FnMut(&[u8])) -> Result<()> {
    let mut next = url.to_owned();
    loop {
        let response = client.get(&next).header(KEY_HEADER, KEY).send().await?;
        ensure!(response.status() == 200, "{url}: {}", response.status());
        let body = response.bytes().await?;
        each(&body);
        match cursor(&body) {
            Some(cursor) => next = format!("{url}&next_cursor={cursor}"),
            None => return Ok(()),
        }
    }
}

/// Returns the cursor at the end of a page. Cursors have no characters that need escapes.
pub(super) fn cursor(body: &[u8]) -> Option<&str> {
    let end = std::str::from_utf8(&body[body.len().saturating_sub(4096)..]).ok()?;
    let (_, cursor) = end.rsplit_once(r#""next_cursor":""#)?;
    cursor.split_once('"').map(|(cursor, _)| cursor)
}
