//! Stored values: summaries, samples, the days that have data, and retention.

pub(crate) mod days;
pub(crate) mod introspection;
pub(crate) mod resources;
pub(crate) mod retention;
pub(crate) mod sample_parts;
pub(crate) mod samples;
pub(crate) mod summaries;
pub(crate) mod summary_lookup;
pub(crate) mod value_pages;
pub(crate) mod value_records;
