//! Errors that several operations respond with.

use std::time::Duration;

use wearlab_server::ApiError;
use wearlab_store::StoreError;

use super::failure::Failure;

/// Delay of `Retry-After` while the store is unavailable.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Converts an error of the store.
pub(super) fn store_error(error: StoreError) -> ApiError {
    Failure::note(&error);
    match error {
        // Missing files are reported once, by the probe of the files.
        StoreError::Replaced { .. } => ApiError::unavailable(RETRY_AFTER),
        StoreError::WritesStopped { .. } => {
            let detail = "The store was found damaged, and takes no writes until the operator restores it.";
            ApiError::unavailable_because(detail, RETRY_AFTER)
        }
        error @ StoreError::NoSecretKey { .. } => ApiError::forbidden(no_secret_key(&error)),
        error if error.is_transient() => ApiError::unavailable(RETRY_AFTER),
        other => ApiError::internal(other),
    }
}

/// Returns the detail of a refusal to store something in plain text.
pub(super) fn no_secret_key(error: &StoreError) -> String {
    format!("The service failed to {error}.")
}

pub(super) fn no_team() -> ApiError {
    ApiError::not_found("No such organisation, or no such team.")
}

pub(super) fn no_organisation() -> ApiError {
    ApiError::not_found("No such organisation.")
}

pub(super) fn no_event() -> ApiError {
    ApiError::not_found("No such event.")
}

pub(super) fn no_user() -> ApiError {
    ApiError::not_found("No such user.")
}
