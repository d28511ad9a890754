//! Svix: one application of a Svix server for each team, one message for each event.
//!
//! The server signs the events and sends them to the endpoints that the team has there; what they respond, and what is
//! tried again, is the server's affair. Any server with Svix's API will do: svix.com, or one's own.
//!
//! # Layout
//!
//! | of the event | where in Svix |
//! |---|---|
//! | team id | `uid` (and `name`) of the application, which is made where it is missing and never changed |
//! | event id | `eventId` of the message |
//! | event type | `eventType` of the message |
//! | user id | the one of `channels`, so that messages of a user can be listed, or sent to an endpoint of their own |
//! | payload | `payload` of the message: an object of JSON, content type `application/json`, no encoding |
//!
//! - The payload goes to the server byte for byte. What a server sends on is equal as JSON, but not always the same bytes:
//!   svix.com takes out spaces and needless escapes. (`rawPayload` would keep the bytes there, but servers that do not know
//!   it send `{}` instead.)
//! - Consumers get the headers of the server: `svix-id`, `svix-timestamp` and `svix-signature`, or the same with
//!   `webhook-`. The id in there is the server's own for the message; the event's id is in the payload.
//! - There are no tags, and no metadata. How long payloads are kept is left to the server.
//! - Servers take messages of event types that they do not know, so none are made: a catalogue of event types is for those
//!   who run the server to fill.
//! - Order is not promised: several requests are in flight.
//!
//! # Outcomes
//!
//! | what happens | outcome |
//! |---|---|
//! | 2xx | delivered |
//! | 409, and the application has a message with the event's id | delivered: it was sent before |
//! | 409, and it has none | tried again: the id is taken by another application |
//! | 400, 413, 422 of a message | refused |
//! | 429, 503 with `Retry-After` | tried again when the pause is over; what is not sent yet is deferred |
//! | 408, 423, 425, 500 | tried again |
//! | the connection breaks before the response | tried again |
//! | 401, 403 | down: the token is refused |
//! | 404 | down: the application was deleted, and is created again next time |
//! | no connection, no response in time, 3xx, 429 without `Retry-After`, any other 4xx or 5xx | down |
//! | the application cannot be made, or what respondss is no Svix server | down |
//!
//! A message that is sent again after its response was lost is known by its `eventId`, for a day at svix.com; later, the
//! team's endpoints may get it twice, with the same event id in the payload.

mod api;
mod response;
mod server;
mod settings;

use std::fmt;

use wearlab_models::{Svix, Uuid};

use crate::fan_out::{Concurrency, unordered};
use crate::{Check, Checked, ConfigError, Delivery, Destination, Message, Outcome};

use self::api::Api;
pub use self::server::{check_server, check_token};
pub use self::settings::Settings;

/// How many messages are handed over together.
const BATCH: usize = 100;

/// The application of one team. `Debug` shows the server's host alone.
pub struct Application {
    team_id: Uuid,
    api: Api,
    in_flight: usize,
}

impl Application {
    /// The application of a team, by the block of its pipeline.
    ///
    /// # Errors
    ///
    /// Where the block asks for the server of a region and there is none, or the settings name no server or token that
    /// can be used.
    pub fn new(team_id: Uuid, block: &Svix, settings: &Settings) -> Result<Self, ConfigError> {
        Self::from_config(team_id, block.regional, settings)
    }

    /// The application of a team, on the server of the team's region if `regional`.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn from_config(team_id: Uuid, regional: bool, settings: &Settings) -> Result<Self, ConfigError> {
        Ok(Self {
            team_id,
            api: Api::new(team_id, regional, settings)?,
            in_flight: settings.in_flight,
        })
    }

    /// Sends messages once the application is there.
    async fn send<'a>(&'a self, messages: &'a [Message]) -> Vec<Outcome> {
        if messages.is_empty() {
            return Vec::new();
        }
        if let Err(outcome) = self.api.make_application().await {
            return unordered(messages, Concurrency::fixed(1), |_| std::future::ready(outcome.clone())).await;
        }
        let concurrency = Concurrency::fixed(self.in_flight);
        unordered(messages, concurrency, |message: &'a Message| self.api.send(message)).await
    }
}

impl Destination for Application {
    fn ordered(&self) -> bool {
        false
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn deliver<'a>(&'a self, messages: &'a [Message]) -> Delivery<'a> {
        Box::pin(self.send(messages))
    }

    fn check<'a>(&'a self, message: &'a Message) -> Check<'a> {
        Box::pin(async move {
            let target = format!("application {} at {}", self.team_id, self.api.host());
            let outcomes = self.send(std::slice::from_ref(message)).await;
            let checked = outcomes.into_iter().map(|outcome| Checked {
                target: target.clone(),
                outcome,
            });
            checked.collect()
        })
    }
}

impl fmt::Debug for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Application")
            .field("team_id", &self.team_id)
            .field("host", &self.api.host())
            .finish_non_exhaustive()
    }
}
