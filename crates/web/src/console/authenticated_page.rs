//! Session extractor.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use wearlab_models::{Secret, Uuid};
use wearlab_server::{Auth, Operation, Scoped};
use wearlab_service::Service;
use wearlab_service::sessions::{Notice, Session};
use wearlab_store::OrganisationId;

use super::api_client::{ApiClient, Call};
use super::document::{self, ROOT};
use super::error::PageError;

const MANAGEMENT: &str = "X-Management-Key";
const TEAM: &str = "x-service-api-key";
/// Header that scripts of pages send.
const SCRIPT: &str = "x-console-script";

/// A page that a signed-in browser requests: its session and the permissions of its key.
pub(super) struct AuthenticatedPage {
    pub(super) service: Arc<Service>,
    pub(super) session: Session,
    /// Organisation of the key.
    pub(super) organisation: OrganisationId,
    /// Session id of the cookie.
    id: String,
    /// True if a script of an open page polls for changes.
    by_script: bool,
    /// True if the key has the scope `admin`. Such a key could make a key of a team, so it may read the data of users.
    pub(super) is_admin: bool,
    /// Path of the page, for the current link of the navigation.
    pub(super) path: String,
    client: ApiClient,
}

impl AuthenticatedPage {
    /// Begins a call of an operation of the management API. `path` has the parameters after the organisation's id.
    pub(super) fn call(&self, operation: &'static Operation, path: &[&str]) -> Call<'_> {
        let path: Vec<&str> = std::iter::once(self.organisation.as_str())
            .chain(path.iter().copied())
            .collect();
        let key = self.session.key.clone();
        self.client.call(operation, MANAGEMENT, key, &path)
    }

    /// Begins a call of a team's operation that reads.
    ///
    /// # Errors
    ///
    /// If the key may not read data of users, or the organisation has no such team.
    pub(super) async fn team_call(
        &self,
        operation: &'static Operation,
        team_id: Uuid,
        path: &[&str],
    ) -> Result<Call<'_>, PageError> {
        self.check_admin()?;
        let key = self.service.console_team_key(&self.organisation, team_id).await?;
        Ok(self.client.call(operation, TEAM, key, path))
    }

    /// Fails unless the key may read the data of users: it could make a key of a team, which may.
    pub(super) fn check_admin(&self) -> Result<(), PageError> {
        match self.is_admin {
            true => Ok(()),
            false => Err(PageError::Page(
                StatusCode::FORBIDDEN,
                "This is shown to management keys with the scope admin.",
            )),
        }
    }

    /// Takes the notice for this page; none for a script, which does not show it.
    pub(super) fn notice(&self) -> Option<Notice> {
        if self.by_script {
            return None;
        }
        self.service.sessions().take_notice(&self.id)
    }

    /// Redirects to a page of the console, which shows the outcome.
    pub(super) fn done(&self, result: Result<String, PageError>, to: &str) -> Response {
        let notice = match result {
            Ok(text) => Notice { failed: false, text },
            Err(PageError::Instead(response)) => return *response,
            Err(error) => Notice {
                failed: true,
                text: error.text(),
            },
        };
        self.service.sessions().notify(&self.id, notice);
        document::redirect(to)
    }

    /// Ends the session.
    pub(super) fn end(self) {
        self.service.sessions().end(&self.id);
    }
}

impl FromRequestParts<Arc<Service>> for AuthenticatedPage {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, PageError> {
        let Extension(client) = <Extension<ApiClient> as FromRequestParts<_>>::from_request_parts(parts, service)
            .await
            .map_err(PageError::internal)?;
        let path = parts.uri.path().to_owned();
        let by_script = parts.headers.contains_key(SCRIPT);
        let (ids, secure) = cookies(&parts.headers);
        let found = ids.into_iter().find_map(|id| {
            let session = service.sessions().find(id, secure, by_script, service.time());
            session.map(|session| (id.to_owned(), session))
        });
        let Some((id, session)) = found else {
            return Err(PageError::Instead(Box::new(sign_in(parts, &path))));
        };
        let key = match service.management_key(session.key.expose()).await {
            Ok(key) => key,
            Err(error) if error.status() == StatusCode::UNAUTHORIZED => {
                service.sessions().end(&id);
                return Err(PageError::Instead(Box::new(sign_in(parts, &path))));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            service: service.clone(),
            session,
            id,
            by_script,
            is_admin: key.has_scope("admin"),
            organisation: key.owner(),
            path,
            client,
        })
    }
}

impl OptionalFromRequestParts<Arc<Service>> for AuthenticatedPage {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Option<Self>, PageError> {
        match <Self as FromRequestParts<_>>::from_request_parts(parts, service).await {
            Ok(auth) => Ok(Some(auth)),
            Err(PageError::Instead(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Redirects to the sign-in page, and from there back.
fn sign_in(parts: &Parts, path: &str) -> Response {
    // A script does not follow a redirect to a page.
    if parts.headers.contains_key(SCRIPT) {
        let mut response = StatusCode::UNAUTHORIZED.into_response();
        document::protect(&mut response);
        return response;
    }
    let to = match parts.method == Method::GET && path != ROOT {
        true => {
            let back = parts.uri.path_and_query().map_or(path, |uri| uri.as_str());
            let encoded: String = form_urlencoded::byte_serialize(back.as_bytes()).collect();
            format!("{ROOT}/sign-in?to={encoded}")
        }
        false => format!("{ROOT}/sign-in"),
    };
    document::redirect(&to)
}

/// Returns the name of the cookie. The prefix restricts it to this host and to https (RFC 6265bis).
pub(super) fn cookie_name(secure: bool) -> &'static str {
    match secure {
        true => "__Host-wearlab-console",
        false => "wearlab-console",
    }
}

/// Returns the session ids that a browser sent, and whether they are cookies of https. With one of https, the others
/// are ignored: a page without https can set them.
pub(super) fn cookies(headers: &HeaderMap) -> (Vec<&str>, bool) {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs: Vec<_> = cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .collect();
    let of = |secure: bool| -> Vec<&str> {
        let named = pairs.iter().filter(|(name, _)| *name == cookie_name(secure));
        named.map(|(_, id)| *id).collect()
    };
    match of(true) {
        ids if ids.is_empty() => (of(false), false),
        ids => (ids, true),
    }
}

/// Returns whether a form comes from a page of this origin, by `Sec-Fetch-Site` or by `Origin`.
pub(super) fn is_own_form(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if site.is_some_and(|site| site != b"same-origin") {
        return false;
    }
    match (headers.get(ORIGIN).map(HeaderValue::to_str), headers.get(HOST)) {
        (Some(Ok(origin)), Some(host)) => {
            let host_of_origin = origin.split_once("://").map(|(_, host)| host.as_bytes());
            host_of_origin == Some(host.as_bytes())
        }
        // Without either header, it is an old browser or no browser: the form token decides.
        (None, _) => true,
        _ => false,
    }
}

/// Returns whether the browser used https, by the `Origin` of its form.
pub(super) fn is_secure(headers: &HeaderMap) -> bool {
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    origin.is_some_and(|origin| origin.starts_with("https://"))
}

/// Fails unless the key may be used to sign in.
pub(super) async fn check_key(service: &Service, key: &Secret) -> Result<(), PageError> {
    let caller = service.management_key(key.expose()).await?;
    match caller.has_scope("read") {
        true => Ok(()),
        false => Err(PageError::Page(
            StatusCode::FORBIDDEN,
            "This key lacks the scope read, which the console needs.",
        )),
    }
}

/// Parses an id in a path.
pub(super) fn parse_id(text: &str) -> Result<Uuid, PageError> {
    text.parse().map_err(|_| PageError::not_found())
}

#[cfg(test)]
mod tests {
    use axum::http::header::{COOKIE, HOST, ORIGIN};
    use axum::http::{HeaderMap, HeaderValue};

    use super::{cookies, is_own_form, is_secure};

    #[test]
    fn a_cookie_of_https_counts_alone() {
        let ids = |text: &'static str| {
            let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(text))]);
            let (ids, secure) = cookies(&headers);
            (ids.join(" "), secure)
        };
        let both = "wearlab-console=plain; other=x; __Host-wearlab-console=tls";
        assert_eq!(ids(both), ("tls".to_owned(), true));
        assert_eq!(ids("wearlab-console=a;wearlab-console=b"), ("a b".to_owned(), false));
        assert_eq!(ids("other=x"), (String::new(), false));
    }

    #[test]
    fn a_form_is_that_of_this_host() {
        let form = |site: Option<&'static str>, origin: Option<&'static str>| {
            let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("console.example:81"))]);
            if let Some(site) = site {
                headers.insert("sec-fetch-site", HeaderValue::from_static(site));
            }
            if let Some(origin) = origin {
                headers.insert(ORIGIN, HeaderValue::from_static(origin));
            }
            (is_own_form(&headers), is_secure(&headers))
        };
        let (own, tls) = ("http://console.example:81", "https://console.example:81");
        assert_eq!(form(Some("same-origin"), Some(own)), (true, false));
        assert_eq!(form(None, Some(tls)), (true, true));
        assert_eq!(form(None, None), (true, false));
        for (site, origin) in [
            (Some("same-site"), Some(own)),
            (Some("cross-site"), None),
            (None, Some("http://console.example")),
            (None, Some("http://evil.example:81")),
            (None, Some("null")),
        ] {
            assert!(!form(site, origin).0, "{site:?} {origin:?}");
        }
    }
}
