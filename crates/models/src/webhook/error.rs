//! Errors of a verification.

use thiserror::Error;

use crate::consume::ReadError;

/// Reason to reject a request as a webhook.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A header is missing or not a text.
    #[error("the header {0} is missing")]
    Missing(&'static str),
    /// The time is not a number of seconds.
    #[error("the header webhook-timestamp does not hold seconds since 1970")]
    Timestamp,
    /// The time is too far from now.
    #[error("the header webhook-timestamp is too far from now: check this machine's clock")]
    Stale,
    /// No signature is by the secret, or one of the secrets.
    #[error("no signature fits: check that the secret is this endpoint's and that the body is unchanged")]
    Signature,
    /// The signature is valid, but the body is not an event.
    #[error(transparent)]
    Event(#[from] ReadError),
}
