//! CORS: origins whose web pages may call from a browser. Off by default.

use axum::http::header::{ACCEPT, ETAG, IF_NONE_MATCH, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method};
use tower_http::cors::{AllowOrigin, CorsLayer};
use wearlab_server::{HeaderPrefix, operations};
use wearlab_settings::InvalidSetting;

use crate::settings::CorsSettings;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Returns the CORS layer. Credentials travel in headers of their own, so cookies are not allowed.
///
/// # Errors
///
/// If an origin is invalid.
pub(super) fn layer(settings: &CorsSettings, prefix: &HeaderPrefix) -> Result<CorsLayer, InvalidSetting> {
    let keys = operations::ALL
        .into_iter()
        .flat_map(|operation| operation.security.iter().copied().flatten());
    let names = keys.flat_map(|credential| credential.headers());
    let names = names.filter_map(|name| HeaderName::try_from(prefix.name(name).as_ref()).ok());
    let mut taken: Vec<HeaderName> = names.chain([ACCEPT, IF_NONE_MATCH, REQUEST_ID]).collect();
    taken.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    taken.dedup();
    Ok(CorsLayer::new()
        .allow_origin(origins(&settings.origins)?)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers(taken)
        .expose_headers([ETAG, REQUEST_ID, RETRY_AFTER, DEPRECATION, SUNSET])
        .max_age(settings.max_age))
}

/// Returns an error for each invalid origin.
pub(super) fn check(settings: &CorsSettings) -> Vec<InvalidSetting> {
    match settings.origins.as_slice() {
        [all] if all == "*" => Vec::new(),
        origins => origins.iter().filter_map(|origin| self::origin(origin).err()).collect(),
    }
}

fn origins(listed: &[String]) -> Result<AllowOrigin, InvalidSetting> {
    if let [all] = listed
        && all == "*"
    {
        return Ok(AllowOrigin::any());
    }
    let origins: Result<Vec<_>, _> = listed.iter().map(|origin| self::origin(origin)).collect();
    Ok(AllowOrigin::list(origins?))
}

/// Parses an origin as browsers send it: scheme, host and port, and nothing behind.
fn origin(text: &str) -> Result<HeaderValue, InvalidSetting> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let bare = host.is_some_and(|host| {
        !host.is_empty()
            && host
                .chars()
                .all(|c| !c.is_ascii_uppercase() && !c.is_whitespace() && !"/?#*@".contains(c))
    });
    let value = HeaderValue::from_str(text).ok().filter(|_| bare);
    value.ok_or_else(|| {
        InvalidSetting::new(
            "http.cors.origins",
            format!("{text:?} is not an origin such as \"https://app.example.com\", in lower case, or \"*\" alone"),
        )
    })
}
