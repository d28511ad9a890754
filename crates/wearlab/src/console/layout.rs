//! What all pages of the console look like, and what a browser may do with them.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::ROOT;
use super::form::hidden;
use super::visit::Visit;
use crate::assets::Assets;
use crate::page_headers::PageHeaders;

/// Nothing but what the service itself has; forms lead nowhere else, and no other page frames it.
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

/// What the navigation of every page has: the path, and what its link says.
const NAVIGATION: [(&str, &str); 9] = [
    ("", "Overview"),
    ("/teams", "Teams"),
    ("/events", "Events"),
    ("/destinations", "Destinations"),
    ("/undelivered", "Undelivered"),
    ("/keys", "Keys"),
    ("/providers", "Providers"),
    ("/audit-log", "Audit log"),
    ("/service", "Service"),
];

/// A page of somebody who is signed in.
pub(super) struct Page<'p> {
    pub(super) visit: &'p Visit,
    pub(super) title: &'p str,
    /// The pages above it: where their links lead, and what they say.
    pub(super) trail: &'p [(String, String)],
    /// Whether its parts with `data-live` are refreshed.
    pub(super) live: bool,
    pub(super) charts: bool,
}

impl<'p> Page<'p> {
    pub(super) fn new(visit: &'p Visit, title: &'p str) -> Self {
        Self {
            visit,
            title,
            trail: &[],
            live: false,
            charts: false,
        }
    }

    pub(super) fn live(self) -> Self {
        Self { live: true, ..self }
    }

    pub(super) fn below(self, trail: &'p [(String, String)]) -> Self {
        Self { trail, ..self }
    }

    pub(super) fn response(self, content: &Markup) -> Response {
        self.with_status(StatusCode::OK, content)
    }

    pub(super) fn with_status(self, status: StatusCode, content: &Markup) -> Response {
        let visit = self.visit;
        let body = html! {
            a.skip href="#main" { "Skip to the content" }
            header.top {
                a.brand href=(ROOT) { "Wearlab" }
                nav aria-label="Console" {
                    @for (path, text) in NAVIGATION {
                        @let url = format!("{ROOT}{path}");
                        a href=(url) aria-current=[current(&visit.path, &url)] { (text) }
                    }
                }
                form.sign-out method="post" action={ (ROOT) "/sign-out" } {
                    (hidden(visit))
                    span.organisation { (visit.organisation.as_str()) }
                    button type="submit" { "Sign out" }
                }
            }
            main #main tabindex="-1" {
                @if !self.trail.is_empty() {
                    nav.trail aria-label="Pages above" {
                        @for (index, (url, text)) in self.trail.iter().enumerate() {
                            @if index > 0 { span aria-hidden="true" { "/" } }
                            a href=(url) { (text) }
                        }
                    }
                }
                div.title {
                    h1 { (self.title) }
                    @if self.live {
                        p.live hidden data-live-state="" {
                            span role="status" { "Updates every 5 seconds." }
                            button type="button" { "Pause updates" }
                        }
                    }
                }
                @if let Some(notice) = visit.notice() {
                    p.notice.failed[notice.failed] role=(if notice.failed { "alert" } else { "status" }) { (notice.text) }
                }
                (content)
            }
        };
        let scripts: &[&str] = match (self.charts, self.live) {
            (true, _) => &["uplot.js", "charts.js"],
            (_, true) => &["live.js"],
            _ => &[],
        };
        let styles: &[&str] = if self.charts { &["uplot.css"] } else { &[] };
        document(status, self.title, &body, scripts, styles)
    }
}

/// A page without the navigation: of somebody who is not signed in, or in place of a page that cannot be shown.
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

/// Sends the browser on.
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

fn document(status: StatusCode, title: &str, body: &Markup, scripts: &[&str], styles: &[&str]) -> Response {
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

/// What a browser may do with a response: show it, here and now.
pub(super) fn protect(response: &mut Response) {
    let headers = PageHeaders {
        policy: HeaderValue::from_static(POLICY),
        cache: "no-store",
        // Without any referrer, browsers do not say either where a form comes from.
        referrer: "same-origin",
    };
    headers.mark(response);
}

/// What fits into the title of a window.
fn shortened(title: &str) -> String {
    match title.char_indices().nth(50) {
        Some((end, _)) => format!("{}\u{2026}", &title[..end]),
        None => title.to_owned(),
    }
}

/// Whether a link of the navigation is that of the page, or of one above it.
fn current(path: &str, url: &str) -> Option<&'static str> {
    let rest = path.strip_prefix(url)?;
    match rest.is_empty() {
        true => Some("page"),
        false => (rest.starts_with('/') && url != ROOT).then_some("true"),
    }
}

#[cfg(test)]
mod tests {
    use super::current;

    #[test]
    fn one_link_of_the_navigation_is_current() {
        assert_eq!(current("/console", "/console"), Some("page"));
        assert_eq!(current("/console/teams", "/console"), None);
        assert_eq!(current("/console/teams", "/console/teams"), Some("page"));
        assert_eq!(current("/console/teams/1", "/console/teams"), Some("true"));
        assert_eq!(current("/console/teamsters", "/console/teams"), None);
    }
}
