//! OAuth callback: returns the user from a provider's consent page to the team's URL, or to a page with the outcome.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use wearlab_linking::Callback;
use wearlab_service::Service;

use super::errors::{failed, redirect, unavailable};
use super::layout::Notice;
use super::parameter::parameter;
use super::{outcome, session};

/// `GET /link/callback/{organisation}/{provider}`
pub(super) async fn take_back(
    State(service): State<Arc<Service>>,
    Path(path): Path<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    finish(&service, Some(path), &uri, &headers).await
}

/// `GET /link/callback`
pub(super) async fn take_back_shared(State(service): State<Arc<Service>>, uri: Uri, headers: HeaderMap) -> Response {
    finish(&service, None, &uri, &headers).await
}

async fn finish(service: &Service, path: Option<(String, String)>, uri: &Uri, headers: &HeaderMap) -> Response {
    let Ok(linker) = service.linker() else {
        return unavailable();
    };
    let query = uri.query().unwrap_or_default().as_bytes();
    let of = |name: &str| parameter(query, name);
    let callback = Callback {
        state: of("state"),
        code: of("code"),
        error: of("error"),
        iss: of("iss"),
        scope: of("scope"),
        path,
    };
    let session = session::of(headers, linker.linking.is_secure());
    // Acquired before the state is used up, so that the user can load the page again.
    let place = match service.place_of_callback(callback.state.as_deref()).await {
        Ok(place) => place,
        Err(error) if error.status() == StatusCode::TOO_MANY_REQUESTS => return busy(),
        Err(_) => return unavailable(),
    };
    // The provider may hang, so other requests may run meanwhile.
    wearlab_http::without_permit(
        linker.returned(callback, session.as_deref(), place),
        async |returned| match returned {
            Ok(found) => match found.redirect() {
                Some(url) => redirect(&url),
                None => outcome::page(&linker, &found).await,
            },
            Err(error) => failed(error),
        },
    )
    .await
}

/// Returns the page for a user of an organisation at its limit of waiting requests. The state is not used up.
fn busy() -> Response {
    let mut response = Notice {
        done: false,
        status: StatusCode::TOO_MANY_REQUESTS,
        title: "Please try again",
        text: "Many people are linking at the moment. Wait a little, and load this page again.",
        link: None,
    }
    .response();
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
