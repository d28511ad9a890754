//! Query parameters of a page.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::form::Fields;

/// Parameters of a page's query. Empty ones, which forms send, are absent.
pub(super) struct Query(Fields);

impl Query {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)
    }

    /// Parses a parameter, such as a number or an id; none if it is invalid.
    pub(super) fn parse<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Fields::of(parts.uri.query().unwrap_or_default().as_bytes())))
    }
}

/// Returns the URL of a page with those parameters that have a value.
pub(super) fn url(path: &str, parameters: &[(&str, Option<&str>)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}
