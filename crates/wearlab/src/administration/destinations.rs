//! What is said of destinations.

use chrono::{DateTime, Utc};
use wearlab_delivery::webhook::KIND;
use wearlab_store::DestinationStatus;

/// When something is sent to a destination again. `next_due` is when the next of its events is due.
pub(crate) fn next_attempt(known: &DestinationStatus, next_due: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    // Brokers are tried as a whole; each event of a webhook has a retry of its own.
    match &known.outage {
        Some(outage) if known.kind != KIND => Some(outage.next_attempt),
        _ => next_due,
    }
}
