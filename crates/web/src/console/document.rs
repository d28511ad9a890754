//! HTML documents of the console, their assets and their headers.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::assets::Assets;
use crate::page_headers::PageHeaders;

/// Path of the overview, which is the parent of all other pages.
pub(super) const ROOT: &str = "/console";

/// Content security policy: content and forms of the service alone, and no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";

static ASSETS: LazyLock<Assets> = LazyLock::new(|| {
    Assets::new(
        "/console/assets",
        &[
            ("console.css", include_str!("style.css")),
            ("live.js", include_str!("live.js")),
            ("charts.js", include_str!("charts.js")),
            ("uplot.js", include_str!("../../assets/vendor/uplot/uPlot.iife.min.js")),
            ("uplot.css", include_str!("../../assets/vendor/uplot/uPlot.min.css")),
        ],
    )
});

/// Returns a page without navigation: before signing in, or in place of a page that failed.
pub(super) fn bare(status: StatusCode, title: &str, content: &Markup) -> Response {
    let body = html! {
        main.bare #main {
            p.brand { "Wearlab" }
            h1 { (title) }
            (content)
        }
    };
    document(status, title, &body, &[], &[])
}

/// Redirects the browser.
pub(super) fn redirect(to: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = HeaderValue::try_from(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    protect(&mut response);
    response
}

/// `GET /console/assets/{name}`
pub(super) async fn asset(Path(name): Path<String>) -> Response {
    ASSETS.get(&name)
}

pub(super) fn document(status: StatusCode, title: &str, body: &Markup, scripts: &[&str], styles: &[&str]) -> Response {
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                meta name="color-scheme" content="light dark";
                title { (shortened(title)) " \u{2013} Wearlab" }
                @for name in styles.iter().chain(&["console.css"]) {
                    link rel="stylesheet" href=(ASSETS.url(name));
                }
                @for name in scripts {
                    script src=(ASSETS.url(name)) defer {}
                }
            }
            body { (body) }
        }
    };
    let mut response = (status, text.into_string()).into_response();
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    protect(&mut response);
    response
}

/// Adds the security headers, and `no-store`.
pub(super) fn protect(response: &mut Response) {
    let headers = PageHeaders {
        policy: HeaderValue::from_static(POLICY),
        cache: "no-store",
        // Without any referrer, browsers do not send the origin of a form either.
        referrer: "same-origin",
    };
    headers.mark(response);
}

/// Shortens a text for the title of a window.
fn shortened(title: &str) -> String {
    match title.char_indices().nth(50) {
        Some((end, _)) => format!("{}\u{2026}", &title[..end]),
        None => title.to_owned(),
    }
}
