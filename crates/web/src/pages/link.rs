//! Link page: the providers of a link token, one button each.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use maud::{Markup, html};
use url::Url;
use wearlab_linking::{ErrorCode, Linker, redirect_of};
use wearlab_service::Service;
use wearlab_store::{LinkTokenOwner, LinkableProvider, StoreError};

use super::errors::{failed, not_available, redirect, unavailable};
use super::layout::{Notice, page};
use super::parameter::parameter;
use super::session;

/// `GET /link?token=...`
pub(super) async fn show(State(service): State<Arc<Service>>, uri: Uri, headers: HeaderMap) -> Response {
    let Ok(linker) = service.linker() else {
        return unavailable();
    };
    let token = parameter(uri.query().unwrap_or_default().as_bytes(), "token");
    let (token, owner) = match (&token, find(&linker, token.as_deref()).await) {
        (Some(token), Ok(Some(owner))) => (token, owner),
        (_, Ok(_)) => return not_valid(),
        (_, Err(page)) => return page,
    };
    if let Err(error) = linker.require_secret_key() {
        return return_unavailable(&owner, None, &error);
    }
    let providers = match linker.providers(&owner).await {
        Ok(providers) => providers,
        Err(error) => return failed(error),
    };
    let mut response = choose(&linker, token, &owner, &providers, None);
    let secure = linker.linking.is_secure();
    if session::of(&headers, secure).is_none() {
        session::begin(&mut response, secure);
    }
    response
}

/// Returns the owner of a link token, if the token links a user's providers.
pub(super) async fn find(linker: &Linker, token: Option<&str>) -> Result<Option<LinkTokenOwner>, Response> {
    let Some(token) = token else { return Ok(None) };
    let owner = linker.store.link_token(token, (linker.now)()).await.map_err(failed)?;
    Ok(owner.filter(|owner| owner.user_id.is_some()))
}

/// Returns the page for an invalid token. It does not reveal whether the token ever existed.
pub(super) fn not_valid() -> Response {
    Notice {
        done: false,
        status: StatusCode::NOT_FOUND,
        title: "This link is not valid",
        text: "It may have expired. Go back to the app that you came from, and begin again there.",
        link: None,
    }
    .response()
}

/// Redirects the user to the app, if the token requests that on errors, or returns a page.
pub(super) fn return_unavailable(owner: &LinkTokenOwner, slug: Option<&str>, error: &StoreError) -> Response {
    let page = not_available(error);
    let on_error = redirect_of(&owner.options, slug, Some(ErrorCode::LinkingNotAvailable));
    match on_error.filter(|_| owner.options.redirects_on_error) {
        Some(url) => redirect(&url),
        None => page,
    }
}

/// Returns the page with one button for each provider, and the problem with the last choice.
pub(super) fn choose(
    linker: &Linker,
    token: &str,
    owner: &LinkTokenOwner,
    providers: &[LinkableProvider],
    problem: Option<&str>,
) -> Response {
    let close = redirect_of(&owner.options, None, Some(ErrorCode::Closed)).filter(|_| owner.options.redirects_on_close);
    let title = match providers {
        [] => "There is nothing to link",
        [one] => &format!("Link {}", one.link.name),
        _ => "Link a device or an app",
    };
    let content = html! {
        h1 { (title) }
        @if let Some(problem) = problem {
            p role="alert" { strong { (problem) } }
        }
        @if providers.is_empty() {
            p { "No provider can be linked at the moment. Go back to the app that you came from." }
        } @else {
            p { "You will be asked for your consent on the provider's own page. Then you come back." }
            ul {
                @for provider in providers {
                    li { (button(linker, token, provider)) }
                }
            }
        }
        @if let Some(close) = &close {
            p { a href=(close) { "Cancel and go back" } }
        }
    };
    let targets = providers
        .iter()
        .filter_map(|provider| Url::parse(&provider.settings.settings.authorization_url).ok());
    let mut targets: Vec<_> = targets.collect();
    targets.extend(redirect_of(&owner.options, None, None).filter(|url| url.has_host()));
    let status = match problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    page(status, title, &content, &targets)
}

fn button(linker: &Linker, token: &str, provider: &LinkableProvider) -> Markup {
    let link = &provider.link;
    // An initial stands for the logo: loading that from another host would disclose the user to it.
    let initial: String = link.name.chars().take(1).flat_map(char::to_uppercase).collect();
    html! {
        form method="post" action=(linker.linking.start_path(&link.slug)) {
            input type="hidden" name="token" value=(token);
            button type="submit" {
                span.mark aria-hidden="true" { (initial) }
                span {
                    (link.name)
                    @if !link.description.is_empty() {
                        " "
                        span.about { (link.description) }
                    }
                }
            }
        }
    }
}
