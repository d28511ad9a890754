//! Rules of lab orders, without I/O.
//!
//! - [`status`]: the steps of an order, their transitions, and the history of reports in any order.
//! - [`patient`]: checks of patients, addresses and physicians, each violation at its location.
//! - [`results`]: ranges, interpretations, merged reports, and units in UCUM.
//! - [`nearest`] and [`most_similar`]: suggestions for unknown names, also for data other than orders.

mod nearest;
pub mod patient;
pub mod results;
pub mod status;

pub use nearest::{most_similar, nearest};
