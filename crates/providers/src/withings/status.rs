//! Errors of responses, whose HTTP status is 200.

use std::time::Duration;

use wearlab_connect::Refusal;

/// Pause after too many requests: the limit is by minute, and the response does not tell the rest of it.
const LIMIT_PAUSE: Duration = Duration::from_secs(60);

/// Returns the body of a response, if its status is 0.
pub(super) fn body<T>(status: i64, error: Option<&str>, body: Option<T>) -> Result<T, Refusal> {
    let failed = |reason: &str| Refusal::Failed(format!("{reason}: status {status}"));
    Err(match status {
        0 => return body.ok_or_else(|| failed("a response has no body")),
        100..=102 | 200 | 401 => Refusal::Unauthorized,
        214 | 277 | 2553..=2555 => Refusal::Forbidden,
        601 => Refusal::Limited(LIMIT_PAUSE),
        // The text may repeat a parameter, and is not shown.
        _ if error.is_some_and(|error| error.starts_with("Invalid Params")) => {
            failed("the provider rejects the parameters of a request")
        }
        // A timeout, and a failure of the provider.
        522 | 215 => Refusal::Later(None),
        _ if error.is_some_and(|error| error.starts_with("An error occurred")) => Refusal::Later(None),
        _ => failed("the provider rejects a request"),
    })
}
