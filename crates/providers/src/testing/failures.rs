//! Faults of a provider, and the refusals that a pull returns for them.

use std::time::Duration;

use wearlab_connect::Refusal;

use crate::simulated::faults::Fault;

/// Returns faults with their refusals.
pub(crate) fn failures() -> [(Fault, Refusal); 9] {
    [
        (
            Fault::TooManyRequests(Duration::from_secs(17)),
            Refusal::Limited(Duration::from_secs(17)),
        ),
        (Fault::Status(429), Refusal::Limited(Duration::from_secs(60))),
        (Fault::Status(500), Refusal::Later(None)),
        (
            Fault::Unavailable(Duration::from_secs(17)),
            Refusal::Later(Some(Duration::from_secs(17))),
        ),
        (Fault::Truncated, Refusal::Later(None)),
        (Fault::Status(502), Refusal::Later(None)),
        (Fault::Status(403), Refusal::Forbidden),
        (Fault::Status(404), Refusal::NotFound),
        (
            Fault::Status(426),
            Refusal::Failed("the provider rejects the request with status 426".to_owned()),
        ),
    ]
}
