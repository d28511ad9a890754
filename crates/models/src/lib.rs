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
//! // A kind of device that this version does not have is kept as received.
//! let kind = DeviceSourceType::from("smart_mirror");
//! assert_eq!(kind.as_str(), "smart_mirror");
//! # Ok::<_, wearlab_models::consume::ReadError>(())
//! ```
//!
//! The modules, one for each tag of the document, come from `spec/openapi.yaml`; parts shared by all documents are in
//! `wearlab-kit-types`, and exported here:
//!
//! - open enums keep values that the document does not name: [`Unknown`]
//! - values of one of several types keep unknown ones: [`UnknownValue`]
//! - timestamps keep their offset: [`DateTime`]
//! - secrets do not show in `Debug`: [`Secret`]; those of a response may be masked: [`Masked`]
//! - files in bodies of several parts: [`FilePart`]
//! - one type reads every event: [`Event`]; helpers for consumers: [`consume`]
//! - paged lists have the position of the next page: [`Page`]
//! - bytes that encode a value: [`Encoded`]
//! - the signatures of webhooks: `webhook`, with the feature `webhooks`
//!
//! Unknown fields are ignored, optional fields that may be null read null and absent alike, and structs are
//! `#[non_exhaustive]`, so that additions to the interface are not breaking. Bodies of requests, and
//! the types in them, have a constructor: `new` with the required fields, or `Default`. The feature `builder` adds builders
//! for all structs.

pub mod consume;
mod event;
#[rustfmt::skip]
#[allow(
    deprecated,
    clippy::allow_attributes,
    clippy::should_implement_trait,
    clippy::too_many_arguments,
    reason = "deprecated fields and events are still read and written, and the document names fields and requires them"
)]
mod generated;
mod unknown_event;
#[cfg(feature = "webhooks")]
pub mod webhook;

use generated::codegen;
pub use generated::*;
pub use unknown_event::UnknownEvent;
pub use wearlab_kit_types::codegen::exports::*;

/// The snippet of the README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
