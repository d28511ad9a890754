//! Times of records, and of the keys of samples.

use wearlab_connect::{Reading, Refusal};
use wearlab_models::DateTime;

use crate::zones::Zone;

/// Returns a time in a zone.
pub(super) fn time_in(zone: &Zone, seconds: i64) -> Result<DateTime, Refusal> {
    let time = zone.time(seconds);
    time.ok_or_else(|| Refusal::Failed("a time is out of range".to_owned()))
}

/// Parses the key of a sample, a time in UTC.
pub(super) fn key_time(key: &str) -> Result<DateTime, Refusal> {
    let seconds = key
        .parse()
        .map_err(|_| Refusal::Failed("the key of a sample is not a time".to_owned()))?;
    time_in(&Zone::named(None), seconds)
}

/// Sets the kind of source of a reading, if it is not a watch.
pub(super) fn with_source(source_type: Option<&'static str>, reading: Reading) -> Reading {
    Reading { source_type, ..reading }
}
