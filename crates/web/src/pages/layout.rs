//! Layout of all pages.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use url::Url;

use super::policy::{self, STYLE};

/// Returns a page. `form_targets` are the final URLs of its form's redirects.
pub(super) fn page(status: StatusCode, title: &str, content: &Markup, form_targets: &[Url]) -> Response {
    document(status, title, content, form_targets, None)
}

/// Returns a page that redirects the browser immediately, regardless of the policy of the page before.
pub(super) fn passing(title: &str, content: &Markup, to: &Url) -> Response {
    document(StatusCode::OK, title, content, &[], Some(to))
}

fn document(status: StatusCode, title: &str, content: &Markup, form_targets: &[Url], to: Option<&Url>) -> Response {
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                @if let Some(to) = to {
                    meta http-equiv="refresh" content={ "0; url=" (to) };
                }
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { (content) }
            }
        }
    };
    let mut response = (status, text.into_string()).into_response();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    policy::mark(&mut response, form_targets);
    response
}

/// A page with a title and a sentence, and an optional link.
pub(super) struct Notice<'a> {
    pub(super) status: StatusCode,
    /// True if the user's action succeeded.
    pub(super) done: bool,
    pub(super) title: &'a str,
    pub(super) text: &'a str,
    /// URL and text of the link.
    pub(super) link: Option<(&'a str, &'a str)>,
}

impl Notice<'_> {
    pub(super) fn response(&self) -> Response {
        let sign = if self.done { "\u{2713}" } else { "!" };
        let content = html! {
            // The title has the same meaning.
            span.sign aria-hidden="true" { (sign) }
            h1 { (self.title) }
            p { (self.text) }
            @if let Some((url, text)) = self.link {
                a.button href=(url) { (text) }
            }
        };
        page(self.status, self.title, &content, &[])
    }
}
