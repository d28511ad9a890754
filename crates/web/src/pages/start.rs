//! Redirect from the link page to a provider's consent page.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use maud::html;
use url::Url;
use wearlab_linking::{ErrorCode, LinkSession, redirect_of};
use wearlab_service::Service;

use super::errors::{failed, redirect, unavailable};
use super::layout::{Notice, passing};
use super::parameter::parameter;
use super::{link, session};

/// `POST /link/{provider}`, with the token in its form.
pub(super) async fn go(
    State(service): State<Arc<Service>>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Ok(linker) = service.linker() else {
        return unavailable();
    };
    // Forms of other sites are rejected. The few browsers that do not name the site need the cookie, too.
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    if site.is_some_and(|site| ![&b"same-origin"[..], b"none"].contains(&site)) {
        return link::not_valid();
    }
    let token = parameter(&body, "token");
    let (token, owner) = match (&token, link::find(&linker, token.as_deref()).await) {
        (Some(token), Ok(Some(owner))) => (token, owner),
        (_, Ok(_)) => return link::not_valid(),
        (_, Err(page)) => return page,
    };
    let secure = linker.linking.is_secure();
    if let Err(error) = linker.require_secret_key() {
        return link::return_unavailable(&owner, Some(&slug), &error);
    }
    let Some(cookie) = session::of(&headers, secure) else {
        return no_cookie(&linker.linking.page_url(token));
    };
    let providers = match linker.providers(&owner).await {
        Ok(providers) => providers,
        Err(error) => return failed(error),
    };
    let chosen = providers.iter().find(|provider| provider.link.slug == slug);
    let session = LinkSession {
        link_token: &owner.hash,
        from_page: Some(token),
        cookie: Some(&cookie),
    };
    let authorized = match chosen {
        Some(chosen) => linker.authorize(chosen, &session).await,
        None => Ok(None),
    };
    match (authorized, chosen) {
        (Ok(Some(url)), Some(chosen)) => leave(&url, &chosen.link.name, &headers),
        (Ok(_), _) => {
            let error = Some(ErrorCode::ProviderNotAvailable);
            let on_error = redirect_of(&owner.options, Some(&slug), error);
            match on_error.filter(|_| owner.options.redirects_on_error) {
                Some(url) => redirect(&url),
                None => {
                    let problem = "This provider cannot be linked at the moment.";
                    link::choose(&linker, token, &owner, &providers, Some(problem))
                }
            }
        }
        (Err(error), _) => failed(error),
    }
}

/// Sends the browser to the provider.
///
/// Browsers apply the policy of a form's page to all redirects that follow it: a provider that redirects to a sign-in
/// page on another host would be blocked. So browsers that report a navigation get a page in between. Other clients get
/// a redirect.
fn leave(url: &Url, name: &str, headers: &HeaderMap) -> Response {
    let navigates = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    if !navigates {
        return redirect(url);
    }
    let title = format!("Going on to {name}");
    let content = html! {
        h1 { (title) }
        p { a.button href=(url) { "Continue to " (name) } }
    };
    passing(&title, &content, url)
}

fn no_cookie(again: &str) -> Response {
    Notice {
        done: false,
        status: StatusCode::BAD_REQUEST,
        title: "Your browser keeps no cookies",
        text: "Linking needs one, which is deleted after an hour. Allow cookies for this site, and try again.",
        link: Some((again, "Try again")),
    }
    .response()
}
