//! The store as a whole: export, migration, and encryption.

pub(crate) mod export;
pub(crate) mod meta;
pub(crate) mod migration;
pub(crate) mod records;
pub(crate) mod scrubbing;
pub(crate) mod sealing;
