//! Pages to sign in with a management key, and to sign out.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use maud::{Markup, html};
use wearlab_models::Secret;
use wearlab_service::Service;
use wearlab_service::sessions::LONGEST;

use super::authenticated_page::{AuthenticatedPage, check_key, cookie_name, cookies, is_own_form, is_secure};
use super::document::{self, ROOT};
use super::error::PageError;
use super::form::{Fields, Form};
use super::query::Query;
use crate::reference::RequestHost;

/// `GET /console/sign-in`
pub(super) async fn show(
    State(service): State<Arc<Service>>,
    auth: Option<AuthenticatedPage>,
    query: Query,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let to = destination(query.get("to"));
    // Filled in with the demo's key, which is shown on this machine alone.
    let demo_key = service
        .demo_key()
        .filter(|_| RequestHost::new(&uri, &headers).is_loopback());
    match auth {
        Some(_) => document::redirect(&to),
        None => form(StatusCode::OK, &to, None, demo_key),
    }
}

/// `POST /console/sign-in`, with a key in its form.
pub(super) async fn begin(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    let fields = Fields::of(&body);
    let to = destination(fields.get("to"));
    // A form of another site would sign the browser in as another holder of a key.
    if !is_own_form(&headers) {
        return page(StatusCode::FORBIDDEN, &to, Some("Use the form of this page."));
    }
    let Some(key) = fields.get("key").map(|key| Secret::from(key.to_owned())) else {
        return page(StatusCode::UNPROCESSABLE_ENTITY, &to, Some("Enter a management key."));
    };
    match check_key(&service, &key).await {
        Ok(()) => {}
        Err(PageError::Page(status, text)) => return page(status, &to, Some(text)),
        Err(error) => return page(StatusCode::SERVICE_UNAVAILABLE, &to, Some(&error.text())),
    }
    let secure = is_secure(&headers);
    for earlier in cookies(&headers).0 {
        service.sessions().end(earlier);
    }
    let id = service.sessions().begin(key, secure, service.time());
    let mut response = document::redirect(&to);
    set_cookie(&mut response, secure, &id, LONGEST.as_secs());
    response
}

/// `POST /console/sign-out`
pub(super) async fn end(headers: HeaderMap, form: Form) -> Response {
    form.auth.end();
    let mut response = document::redirect(&format!("{ROOT}/sign-in"));
    set_cookie(&mut response, is_secure(&headers), "", 0);
    response
}

fn set_cookie(response: &mut Response, secure: bool, id: &str, seconds: u64) {
    let (name, attribute) = (cookie_name(secure), if secure { "; Secure" } else { "" });
    let cookie = format!("{name}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{attribute}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}

/// Returns the page to show after signing in: one of the console, whatever the link says.
fn destination(to: Option<&str>) -> String {
    let own = |to: &&str| {
        let rest = to.strip_prefix(ROOT);
        let own = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
        own && to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    to.filter(own).unwrap_or(ROOT).to_owned()
}

fn page(status: StatusCode, to: &str, problem: Option<&str>) -> Response {
    form(status, to, problem, None)
}

/// Returns the sign-in page with its form, filled in with the key of a demo.
fn form(status: StatusCode, to: &str, problem: Option<&str>, demo_key: Option<&Secret>) -> Response {
    let filled_in = demo_key.map(Secret::expose);
    let content: Markup = html! {
        @if let Some(problem) = problem {
            p.notice.failed role="alert" { (problem) }
        }
        form.stack method="post" action={ (ROOT) "/sign-in" } {
            input type="hidden" name="to" value=(to);
            label for="key" { "Management key" }
            input #key name="key" type="password" autocomplete="current-password"
                value=[filled_in] required autofocus[filled_in.is_none()];
            button.primary type="submit" autofocus[filled_in.is_some()] { "Sign in" }
        }
        p.quiet {
            @if filled_in.is_some() {
                "This is a demo: its management key is filled in."
            } @else {
                "Make one with " code { "wearlab keys create --org ORG --scope read,admin" } "."
            }
            " The session ends after an hour without use, or with the key."
        }
    };
    document::bare(status, "Sign in", &content)
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn signing_in_leads_nowhere_else() {
        for own in ["/console", "/console/events?team_id=1", "/console?x"] {
            assert_eq!(destination(Some(own)), own);
        }
        for other in [
            "https://example.com",
            "//example.com",
            "/consoles",
            "/console\\..\\",
            "/v2/user",
            "/console/\r\nx",
            "",
        ] {
            assert_eq!(destination(Some(other)), "/console", "{other}");
        }
        assert_eq!(destination(None), "/console");
    }
}
