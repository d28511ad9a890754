//! Results: their reference ranges, the merging of reports, and their units in UCUM.
//!
//! ```
//! use wearlab_labs::results::{Interpretation, Measurement, ResultType};
//!
//! let glucose = Measurement {
//!     result: "99",
//!     unit: Some("mg/dL"),
//!     reference_range: Some("70-99 mg/dL"),
//!     ..Measurement::of(ResultType::Numeric)
//! };
//! let assessment = glucose.assess();
//! assert_eq!(assessment.max_range_value, Some(99.0));
//! assert_eq!(assessment.is_above_max_range, Some(false));
//! assert_eq!(assessment.interpretation, Some(Interpretation::Normal));
//! ```

mod assess;
mod decimal;
mod interpretation;
mod interval;
mod merge;
mod types;
mod ucum;

pub use self::assess::{Assessment, Measurement};
pub use self::decimal::Decimal;
pub use self::interpretation::{Interpretation, interpretation_of_all};
pub use self::interval::{Bound, Interval};
pub use self::merge::{Reported, ResultKey, merge};
pub use self::types::ResultType;
pub use self::ucum::ucum;
