//! Reports of labs about orders: steps and results.

mod arrivals;
mod collection;
mod reported;
mod steps;

pub use self::arrivals::{LabOrderUpdated, LabReport, ReportMetadata, ReportedResult};
pub use self::collection::collection_of;
pub use self::reported::{KeptResult, ReportedResults};
pub use self::steps::{Advance, StepReport, advance, advance_by_results, is_ahead};

#[cfg(test)]
mod tests;
