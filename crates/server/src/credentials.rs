//! Credentials in headers.

use axum::http::HeaderMap;

use crate::operations::Credential;
use crate::{ApiError, Operation};

/// The credential in a request, if there is one. Headers, or names of one header, that contradict each other are an
/// error.
pub(crate) fn find(headers: &HeaderMap, credential: Credential) -> Result<Option<&str>, ApiError> {
    let mut found: Option<&str> = None;
    for name in credential.headers() {
        for value in headers.get_all(*name) {
            let value = value.to_str().map_err(|_| unreadable(name))?;
            if found.is_some_and(|found| found != value) {
                return Err(ApiError::unauthorized(format!(
                    "The credential in {} is given more than once, and differs.",
                    credential.headers().join(" and ")
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
pub(crate) fn require(headers: &HeaderMap, operation: &Operation) -> Result<(), ApiError> {
    for alternative in operation.security {
        let mut complete = true;
        for credential in *alternative {
            complete &= find(headers, *credential)?.is_some();
        }
        if complete {
            return Ok(());
        }
    }
    let wanted: Vec<_> = operation
        .security
        .iter()
        .map(|alternative| {
            alternative
                .iter()
                .map(|c| c.headers()[0])
                .collect::<Vec<_>>()
                .join(" with ")
        })
        .collect();
    Err(ApiError::unauthorized(format!(
        "Send a credential: {}.",
        wanted.join(", or ")
    )))
}
