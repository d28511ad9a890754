//! Types of scalars and of open values.

/// A date without a time, such as a day of data.
pub use chrono::NaiveDate;
/// The id of an object.
pub use uuid::Uuid;

/// A point in time that keeps the offset it was written with.
pub type DateTime = chrono::DateTime<chrono::FixedOffset>;

/// Any JSON value.
pub type JsonValue = serde_json::Value;

/// An object whose members the document does not describe.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
