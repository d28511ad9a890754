//! Errors of the API.

use chrono::{DateTime, Utc};
use wearlab_connect::Refusal;
use wearlab_kit_client::{Error, Failure};

use super::generated::models::Fault;
use super::limits;

/// Returns the reason of an error.
pub(super) fn refusal(error: Error, now: DateTime<Utc>) -> Refusal {
    match &error {
        Error::RateLimited(failure) => Refusal::Limited(limits::pause(failure.headers(), now)),
        Error::Unauthorized(failure) if lacks_scope(failure) => Refusal::Forbidden,
        _ => error.into(),
    }
}

/// Returns whether a 401 is about a scope, and not about the token.
fn lacks_scope(failure: &Failure) -> bool {
    let fault: Option<Fault> = failure.decode();
    let details = fault.map(|fault| fault.errors).unwrap_or_default();
    details.iter().any(|detail| detail.code.as_deref() == Some("missing"))
}
