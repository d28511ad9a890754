//! Arrivals from providers, and the events that follow, without a store.
//!
//! An [`Arrival`] is one line of an ingestion, read by its [`LineFormat`] and checked once, as it becomes a
//! [`ValidArrival`]. Its values keep the text of their numbers ([`ExactObject`]), times without an offset are read in
//! the user's time zone, and days that the user does not want are marked ([`WantedValues`]). [`payload`] creates the
//! events that a store writes with the values.

mod arrival;
mod deletion;
mod depth;
mod error;
mod exact;
mod forms;
mod kept;
mod line;
mod notes;
pub mod orders;
pub mod payload;
mod sample;
mod source;
mod time_zone;
mod valid;
mod value_day;
mod wanted;
pub mod years;

pub use arrival::{Arrival, ConnectionEnded, ConnectionFailed, ConnectionMade, DataArrival, DeviceSeen, PullChunk};
pub use deletion::{DataDeleted, Deletion};
pub use error::IngestError;
pub use exact::{ExactNumber, ExactObject, ExactValue};
pub use forms::{DeprecatedForms, Ingestion, Until};
pub use kept::{
    Completed, DataKind, Identity, Kept, SampleForm, Stored, StoredSummary, Summary, SummaryLookup, is_numeric, present,
};
pub use line::{LineError, LineFormat, Words, filled, with_field};
pub use notes::DEFAULT_ZONE_SOURCE;
pub use orders::{LabOrderUpdated, LabReport};
pub use sample::{Number, Sample, SampleValue};
pub use source::ArrivalSource;
pub use time_zone::SummariesByClock;
pub use valid::ValidArrival;
pub use value_day::{days_of, value_day};
pub use wanted::{WantedValues, days_of_values, has_hypnogram, wants};
