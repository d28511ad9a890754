//! Tests of the samples' forms: as written, and as third-party readers see them.

mod documents;
mod golden;
mod poppler;
mod readers;
mod samples;
