//! The rules of lab orders, without I/O: what a service, a form or a test wants to know before anything is stored.
//!
//! - [`status`]: the steps of an order, which may follow which, and the history that reports in any order end in.
//! - [`patient`]: checks of patients, addresses and physicians, each violation at its location.
//! - [`results`]: ranges, interpretations, merged reports, and units in UCUM.
//! - [`nearest`] and [`most_similar`]: the known name that an unknown one is near to, which other data than orders use, too.

mod nearest;
pub mod patient;
pub mod results;
pub mod status;

pub use nearest::{most_similar, nearest};
