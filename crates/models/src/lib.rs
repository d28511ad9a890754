//! The types of the Wearlab interface, shared by client and server.
//!
//! ```
//! use wearlab_models::{DeviceSourceType, Event};
//!
//! let event = Event::from_bytes(
//!     br#"{"event_type": "daily.data.steps.created", "user_id": "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
//!         "data": {"data": [{"value": 412}], "source": {"provider": "stridewell", "type": "watch", "app_id": null}}}"#,
//! )?;
//! assert!(matches!(&event, Event::DailyDataCreated(daily) if daily.data.data.len() == 1));
//!
//! // A kind of device that this version does not know is kept as it came.
//! let kind = DeviceSourceType::from("smart_mirror");
//! assert_eq!(kind.as_str(), "smart_mirror");
//! # Ok::<_, wearlab_models::consume::ReadError>(())
//! ```
//!
//! The modules, one for each tag of the document, come from `spec/openapi.yaml`; what is written by hand is the behaviour
//! that the document cannot describe:
//!
//! - open enums keep values that the document does not name: [`Unknown`]
//! - values of one of several types keep those of none: [`UnknownValue`]
//! - timestamps keep their offset: [`DateTime`]
//! - secrets do not show in `Debug`: [`Secret`]; those of a response may be masked: [`Masked`]
//! - files in bodies of several parts: [`FilePart`]
//! - one type reads every event: [`Event`]; for those who consume them: [`consume`]
//! - lists that are paged say where the next page begins: [`Page`]
//! - bytes that are known to encode a value: [`Encoded`]
//! - the signatures of webhooks: `webhook`, with the feature `webhooks`
//!
//! Unknown fields are ignored, optional fields that may be null read null and absent alike, and structs are
//! `#[non_exhaustive]`, so that an addition to the interface breaks nobody. To make values, turn on the feature
//! `builder`.

#[doc(hidden)]
pub mod carrier;
mod codegen;
pub mod consume;
mod defaults;
mod encoded;
mod enums;
mod event;
mod file_part;
pub mod form;
#[rustfmt::skip]
#[allow(
    deprecated,
    clippy::allow_attributes,
    clippy::should_implement_trait,
    reason = "deprecated fields and events are still read and written, and the document names fields"
)]
mod generated;
mod integer_enums;
mod line_buffer;
mod mask;
mod masked;
pub mod multipart;
mod one_of;
mod page;
mod rounded;
mod secret;
pub mod segment;
mod unknown_event;
#[cfg(feature = "webhooks")]
pub mod webhook;

pub use encoded::Encoded;
pub use enums::{ParseEnumError, Unknown};
pub use file_part::{FileContent, FilePart};
pub use generated::*;
pub use line_buffer::LineBuffer;
pub use mask::MASK;
pub use masked::{Masked, PathSegment, SecretPath, Secrets, VisitSecret};
pub use one_of::UnknownValue;
pub use page::Page;
pub use secret::Secret;
pub use unknown_event::UnknownEvent;

/// A date without a time, such as a day of data.
pub use chrono::NaiveDate;
/// The id of a user, a team, a device.
pub use uuid::Uuid;

/// The snippet of the README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A point in time that keeps the offset it was written with.
pub type DateTime = chrono::DateTime<chrono::FixedOffset>;

/// Any JSON value.
pub type JsonValue = serde_json::Value;

/// An object whose members the document does not describe.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
