//! Address of the notices that providers send. Its requests are not operations of the API: each provider decides their form.
//!
//! `GET`, `HEAD` and `POST` of `/v1/providers/{slug}/notices/{secret}`

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use wearlab_connect::{Inbox, NoticeRequest, NoticeResponse};

const NOTICES: &str = "/v1/providers/{slug}/notices/{secret}";

/// Returns the route of an inbox.
pub fn routes<S: Clone + Send + Sync + 'static>(inbox: Arc<Inbox>) -> Router<S> {
    let route = get(receive).post(receive);
    Router::new().route(NOTICES, route.layer(Extension(inbox)))
}

async fn receive(
    Extension(inbox): Extension<Arc<Inbox>>,
    Path((slug, secret)): Path<(String, String)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let request = NoticeRequest {
        method: &method,
        query: uri.query().unwrap_or_default(),
        headers: &headers,
        body: &body,
        received: wearlab_clock::now(),
    };
    response(inbox.receive(&slug, &secret, &request).await)
}

fn response(response: NoticeResponse) -> Response {
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match response.body {
        Some(body) => (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response(),
        None => status.into_response(),
    }
}
