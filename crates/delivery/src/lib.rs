//! Delivery of events: the dispatcher, and the destinations.
//!
//! A [`Dispatcher`] reads the event log of a store and sends each destination its events, with retries.
//!
//! A [`Destination`] sends [`Message`]s, and returns an [`Outcome`] for each; its caller decides on retries, parking
//! and order. Each kind of destination is a module of its own: [`webhook`], which sends Standard Webhooks, and those of
//! [`kinds`], which are features.
//!
//! ```no_run
//! use chrono::Utc;
//! use wearlab_delivery::webhook::{Sender, Settings, Signer, Webhook, schedule};
//! use wearlab_delivery::{Destination, Message, Outcome};
//!
//! # async fn run(message: Message, random: f64) -> Result<(), Box<dyn std::error::Error>> {
//! let sender = Sender::new(Settings::default(), Utc::now)?;
//! let signer = Signer::new("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=".parse()?);
//! let webhook = Webhook::new(&sender, "https://example.com/events", signer)?;
//! for outcome in webhook.deliver(&[message]).await {
//!     match outcome {
//!         Outcome::Delivered => println!("done"),
//!         Outcome::Retry { reason, not_before } | Outcome::Unavailable { reason, not_before } => {
//!             println!("{reason}: again after {:?}, not before {not_before:?}", schedule(1, random));
//!         }
//!         Outcome::Deferred { not_before } => println!("not sent: the endpoint asks to wait until {not_before}"),
//!         Outcome::Held => println!("not sent: an earlier one of the user may not have arrived"),
//!         Outcome::Down { reason } => println!("{reason}: all is sent again later"),
//!         Outcome::Refused { reason } => println!("{reason}: parked"),
//!         Outcome::Gone => println!("the endpoint wants no more events"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod backoff;
mod destination;
mod dispatch;
pub mod egress;
#[allow(dead_code, clippy::allow_attributes, reason = "features decide what is used")]
mod fan_out;
#[allow(dead_code, clippy::allow_attributes, reason = "features decide what is used")]
mod http;
#[allow(
    dead_code,
    clippy::allow_attributes,
    reason = "settings and blocks are the same in every build, and features decide which are used"
)]
pub mod kinds;
mod message;
pub mod pipeline;
mod reason;
#[cfg(feature = "broker_socket")]
mod socket;
#[cfg(feature = "broker_tls")]
mod tls;
pub mod webhook;

pub use backoff::backoff;
pub use destination::{
    Attempted, Attempts, Check, Checked, ConfigError, Delivery, Destination, Outcome, ResponseSummary,
};
pub use dispatch::{
    CheckedDestination, DeliveryObserver, DestinationKey, DispatchSettings, Dispatcher, Sent, check, delivered_payload,
    misconfigured,
};
pub use http::read_body;
pub use kinds::kind::{Connect, DestinationKind, Target};
pub use kinds::*;
pub use message::Message;
pub use reason::Reason;
