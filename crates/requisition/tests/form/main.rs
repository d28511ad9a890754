//! Forms of the samples: as they are written, and as third-party readers see them.

mod documents;
mod golden;
mod poppler;
mod readers;
mod samples;
