//! Credentials in headers.

use std::borrow::Cow;

use axum::http::HeaderMap;

use crate::operations::Credential;
use crate::{ApiError, HeaderPrefix, Operation};

/// The headers that carry a credential here, the authoritative one first.
fn names(credential: Credential, prefix: &HeaderPrefix) -> impl Iterator<Item = Cow<'static, str>> {
    credential.headers().iter().map(|name| prefix.name(name))
}

/// The credential in a request, if there is one. Headers, or names of one header, that contradict each other are an
/// error.
pub(crate) fn find<'h>(
    headers: &'h HeaderMap,
    prefix: &HeaderPrefix,
    credential: Credential,
) -> Result<Option<&'h str>, ApiError> {
    let mut found: Option<&str> = None;
    for name in names(credential, prefix) {
        for value in headers.get_all(name.as_ref()) {
            let value = value.to_str().map_err(|_| unreadable(&name))?;
            if found.is_some_and(|found| found != value) {
                let names: Vec<_> = names(credential, prefix).collect();
                return Err(ApiError::unauthorized(format!(
                    "The credential in {} is given more than once, and differs.",
                    names.join(" and ")
                )));
            }
            found = Some(value);
        }
    }
    Ok(found.filter(|value| !value.is_empty()))
}

fn unreadable(header: &str) -> ApiError {
    ApiError::unauthorized(format!("The header {header} is not plain text."))
}

/// Fails unless the request has what one of the operation's alternatives asks for.
pub(crate) fn require(headers: &HeaderMap, prefix: &HeaderPrefix, operation: &Operation) -> Result<(), ApiError> {
    for alternative in operation.security {
        let mut complete = true;
        for credential in *alternative {
            complete &= find(headers, prefix, *credential)?.is_some();
        }
        if complete {
            return Ok(());
        }
    }
    let wanted = operation.security.iter().map(|alternative| {
        let names = alternative
            .iter()
            .map(|credential| prefix.name(credential.headers()[0]));
        names.collect::<Vec<_>>().join(" with ")
    });
    let wanted: Vec<_> = wanted.collect();
    Err(ApiError::unauthorized(format!(
        "Send a credential: {}.",
        wanted.join(", or ")
    )))
}
