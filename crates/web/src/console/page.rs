//! Layout of the pages of a session: navigation, title, notice and content.

use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};

use super::authenticated_page::AuthenticatedPage;
use super::document::{ROOT, document};
use super::form::hidden;

/// Links of the navigation: path and text.
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

/// Page of a session.
pub(super) struct Page<'p> {
    pub(super) auth: &'p AuthenticatedPage,
    pub(super) title: &'p str,
    /// Parent pages: path and text of each link.
    pub(super) trail: &'p [(String, String)],
    /// True if its parts with `data-live` are refreshed.
    pub(super) live: bool,
    pub(super) charts: bool,
}

impl<'p> Page<'p> {
    pub(super) fn new(auth: &'p AuthenticatedPage, title: &'p str) -> Self {
        Self {
            auth,
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
        let auth = self.auth;
        let body = html! {
            a.skip href="#main" { "Skip to the content" }
            header.top {
                a.brand href=(ROOT) { "Wearlab" }
                nav aria-label="Console" {
                    @for (path, text) in NAVIGATION {
                        @let url = format!("{ROOT}{path}");
                        a href=(url) aria-current=[current(&auth.path, &url)] { (text) }
                    }
                }
                form.sign-out method="post" action={ (ROOT) "/sign-out" } {
                    (hidden(auth))
                    span.organisation { (auth.organisation.as_str()) }
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
                @if let Some(notice) = auth.notice() {
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

/// Returns the value of `aria-current` if a link of the navigation is that of the page, or of a parent.
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
