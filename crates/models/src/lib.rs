//! The types of the Wearlab interface, shared by client and server.
//!
//! The modules, one an area of the interface, come from `spec/openapi.yaml`; what is written by hand is the behaviour
//! that the document cannot describe:
//!
//! - open enums keep values that the document does not name: [`Unknown`]
//! - timestamps keep their offset: [`DateTime`]
//! - secrets do not show in `Debug`: [`Secret`]
//! - one type reads every event: [`Event`]
//! - lists that are paged say where the next page begins: [`Page`]
//! - bytes that are known to encode a value: [`Encoded`]
//! - the signatures of webhooks: `webhook`, with the feature `webhooks`
//!
//! Unknown fields are ignored, optional fields that may be null read null and absent alike, and structs are
//! `#[non_exhaustive]`, so that an addition to the interface breaks nobody. To make values, turn on the feature
//! `builder`.
//!
//! ```
//! use wearlab_models::{DeviceSourceType, Event};
//!
//! let event: Event = serde_json::from_str(
//!     r#"{"event_type": "daily.data.steps.created", "user_id": "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
//!         "data": {"data": [{"value": 412}], "source": {"provider": "stridewell", "type": "watch", "app_id": null}}}"#,
//! )?;
//! assert!(matches!(&event, Event::DailyDataCreated(daily) if daily.data.data.len() == 1));
//!
//! // A kind of device that this version does not know is kept as it came.
//! let kind = DeviceSourceType::from("smart_mirror");
//! assert_eq!(kind.as_str(), "smart_mirror");
//! # Ok::<_, serde_json::Error>(())
//! ```

mod codegen;
mod defaults;
mod encoded;
mod enums;
mod event;
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "deprecated fields and events are still read and written")]
mod generated;
mod page;
mod secret;
#[cfg(feature = "webhooks")]
pub mod webhook;
#[cfg(feature = "webhooks")]
mod webhook_secret;

pub use encoded::Encoded;
pub use enums::{ParseEnumError, Unknown};
pub use event::UnknownEvent;
pub use generated::*;
pub use page::Page;
pub use secret::Secret;

/// A date without a time, such as a day of data.
pub use chrono::NaiveDate;
/// The id of a user, a team, a device.
pub use uuid::Uuid;

/// A point in time that keeps the offset it was written with.
pub type DateTime = chrono::DateTime<chrono::FixedOffset>;

/// An object whose members the document does not describe.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
