//! Errors of the API, by their details: the body of an error has an `ErrorInfo` with a reason, and the limit that was exceeded.

use std::time::Duration;

use serde_json::Value;
use wearlab_connect::Refusal;
use wearlab_kit_client::{Error, Failure};

use super::generated::models;

/// Reasons of a 403 that the operator's project has, whoever the user is.
const OF_PROJECT: [&str; 7] = [
    "SERVICE_DISABLED",
    "SERVICE_NOT_VISIBLE",
    "BILLING_DISABLED",
    "CONSUMER_INVALID",
    "CONSUMER_SUSPENDED",
    "RESOURCE_PROJECT_INVALID",
    "USER_PROJECT_DENIED",
];

/// Pause after the limit of a user, which is of a minute, if the response has none.
const MINUTE: Duration = Duration::from_secs(60);

/// Returns the reason of an error.
pub(super) fn refusal(error: Error) -> Refusal {
    match &error {
        Error::Forbidden(failure) => match project_reason(failure) {
            Some(reason) => Refusal::Failed(format!(
                "Google refuses the project of the client with {reason}: check in its Google Cloud console that the project is \
                 active and the Google Health API is enabled"
            )),
            None => error.into(),
        },
        Error::RateLimited(failure) if is_of_user(failure) => {
            Refusal::Later(Some(failure.retry_after().unwrap_or(MINUTE)))
        }
        _ => error.into(),
    }
}

/// Returns the reason of an error that the project has, and not the user.
fn project_reason(failure: &Failure) -> Option<&'static str> {
    let details = details(failure);
    let mut reasons = details.iter().filter_map(|detail| detail.get("reason")?.as_str());
    reasons.find_map(|reason| OF_PROJECT.into_iter().find(|known| *known == reason))
}

/// Returns whether the limit that was exceeded is that of one user, such as `ReadsPerMinutePerUser` in `1/min/{project}/{user}`.
fn is_of_user(failure: &Failure) -> bool {
    let details = details(failure);
    details.iter().any(|detail| {
        let text = |name: &str| detail.get("metadata")?.get(name)?.as_str();
        text("quota_limit").is_some_and(|limit| limit.contains("PerUser"))
            || text("quota_unit").is_some_and(|unit| unit.contains("{user}"))
    })
}

fn details(failure: &Failure) -> Vec<Value> {
    let error: Option<models::Error> = failure.decode();
    let details = error.and_then(|error| error.error).map(|status| status.details);
    details.unwrap_or_default().into_iter().map(Value::Object).collect()
}
