//! Svix: one application of a Svix server for each team, one message for each event.
//!
//! The server signs the events and sends them to the team's endpoints; responses and retries are the server's task. Any
//! server with Svix's API works: svix.com, or a self-hosted one.
//!
//! # Layout
//!
//! | part of the event | place in Svix |
//! |---|---|
//! | team id | `uid` (and `name`) of the application, which is created if it is missing and never changed |
//! | event id | `eventId` of the message |
//! | event type | `eventType` of the message |
//! | user id | the one of `channels`, so that messages of a user can be listed, or sent to an endpoint of their own |
//! | payload | `payload` of the message: an object of JSON, content type `application/json`, no encoding |
//!
//! - The payload goes to the server byte for byte. A server forwards equal JSON, but not always the same bytes:
//!   svix.com removes spaces and needless escapes. (`rawPayload` would keep the bytes there, but other servers
//!   send `{}` instead.)
//! - Consumers get the headers of the server: `svix-id`, `svix-timestamp` and `svix-signature`, or the same with
//!   `webhook-`. The id in there is the server's own for the message; the event's id is in the payload.
//! - There are no tags, and no metadata. The retention of payloads is the server's setting.
//! - Servers accept messages of unknown event types, so none are created: the operator of the server maintains the
//!   catalogue of event types.
//! - Order is not promised: several requests are in flight.
//!
//! # Outcomes
//!
//! | response | outcome |
//! |---|---|
//! | 2xx | delivered |
//! | 409, and the application has a message with the event's id | delivered: it was sent before |
//! | 409, and it has none | retry: the id is used by another application |
//! | 400, 413, 422 of a message | refused |
//! | 429, 503 with `Retry-After` | retry after the pause; unsent messages are deferred |
//! | 408, 423, 425, 500 | retry |
//! | the connection breaks before the response | retry |
//! | 401, 403 | down: the token is rejected |
//! | 404 | down: the application was deleted, and is created again by the next call |
//! | no connection, no response in time, 3xx, 429 without `Retry-After`, any other 4xx or 5xx | down |
//! | the application cannot be created, or the response is not that of a Svix server | down |
//!
//! A message that is sent again after its response was lost is recognised by its `eventId`, for a day at svix.com; later,
//! the team's endpoints may get it twice, with the same event id in the payload.

#[cfg(feature = "svix")]
mod destination;
mod server;
mod settings;

use wearlab_models::{DeliveryKind, Svix};

#[cfg(feature = "svix")]
pub use self::destination::Application;
pub use self::server::{check_server, check_token};
pub use self::settings::Settings;
use super::kind::DestinationKind;
use crate::ConfigError;
use crate::egress::PipelinePolicy;

impl DestinationKind for Svix {
    const KIND: DeliveryKind = DeliveryKind::Svix;
    /// True for the server of the team's region.
    type Config = bool;
    /// A Svix server. Without one, the built-in webhooks replace it.
    type Settings = Option<Settings>;
    /// True: without the feature, the built-in webhooks replace it.
    const IS_OPTIONAL: bool = true;

    fn parse(&self) -> Result<bool, ConfigError> {
        Ok(self.regional)
    }

    fn check_egress(_: &bool, _: &str, _: &PipelinePolicy) -> Result<(), ConfigError> {
        // Its server is the operator's.
        Ok(())
    }
}
