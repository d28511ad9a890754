//! How events go out: the dispatcher, and the destinations.
//!
//! A [`Dispatcher`] reads the event log of a store and sends each destination what is for it, again where it failed.
//! Underneath:
//!
//! A [`Message`] is an event on its way. A [`Destination`] takes a few of them and says for each what became of it, as an
//! [`Outcome`]; when to try again, what to park and in which order to send is decided by who calls it. Each kind of
//! destination is a module of its own: [`webhook`], which sends Standard Webhooks, and those that are features.
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

#[cfg(feature = "azure_amqp")]
pub mod azure_amqp;
mod backoff;
#[cfg(feature = "cloud_pubsub")]
pub mod cloud_pubsub;
mod destination;
mod dispatch;
pub mod egress;
mod fan_out;
mod http;
mod message;
pub mod pipeline;
#[cfg(feature = "rabbitmq")]
pub mod rabbitmq;
mod reason;
#[cfg(any(feature = "rabbitmq", feature = "azure_amqp"))]
mod socket;
#[cfg(feature = "svix")]
pub mod svix;
#[cfg(any(feature = "rabbitmq", feature = "azure_amqp"))]
mod tls;
pub mod webhook;

pub use backoff::backoff;
pub use destination::{
    Attempted, Attempts, Check, Checked, ConfigError, Delivery, Destination, Outcome, ResponseSummary,
};
pub use dispatch::{
    CheckedDestination, DeliveryObserver, DestinationKey, DispatchSettings, Dispatcher, Kinds, Sent, check,
    delivered_payload, misconfigured,
};
pub use http::read_body;
pub use message::Message;
pub use reason::Reason;
