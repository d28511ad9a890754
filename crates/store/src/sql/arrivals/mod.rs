//! Arrivals from providers: duplicates, historical pulls, and the events that follow.

pub(crate) mod daily;
pub(crate) mod day_hash;
pub(crate) mod day_line;
pub(crate) mod deletions;
pub(crate) mod ids;
pub(crate) mod ingest;
pub(crate) mod notes;
pub(crate) mod prefetch;
pub(crate) mod pull_events;
pub(crate) mod pulls;
pub(crate) mod repeats;
