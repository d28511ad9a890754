//! Names of the headers of a webhook.

/// The header with the event's id, the same at every attempt.
pub const ID: &str = "webhook-id";
/// The header with the time of the attempt, in seconds since 1970.
pub const TIMESTAMP: &str = "webhook-timestamp";
/// The header with one signature for each secret that is valid, separated by spaces.
pub const SIGNATURE: &str = "webhook-signature";
