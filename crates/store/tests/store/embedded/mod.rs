//! The files of the embedded engine.

mod copies;
mod files;
mod flipped;
mod forget;
mod full;
mod refused;
mod replaced;
mod sealed;
mod versions;
mod wal;
