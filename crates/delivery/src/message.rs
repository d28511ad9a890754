//! Events to deliver.

use std::fmt;

use bytes::Bytes;
use wearlab_models::{DateTime, Uuid};

/// An event to deliver. `Debug` does not show its payload.
#[derive(Clone, PartialEq)]
pub struct Message {
    /// Id of the event, the same at every attempt and destination, so that consumers can drop repeats.
    pub event_id: String,
    /// The event's type, such as `daily.data.steps.created`.
    pub event_type: String,
    /// Team of the event.
    pub team_id: Uuid,
    /// User of the event. Its events are kept in order, if the kind of destination keeps order.
    pub user_id: Option<Uuid>,
    /// Time of the event.
    pub created_on: DateTime,
    /// The event as JSON. Copies share the bytes.
    pub payload: Bytes,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("event_id", &self.event_id)
            .field("event_type", &self.event_type)
            .field("team_id", &self.team_id)
            .field("user_id", &self.user_id)
            .field("created_on", &self.created_on)
            .finish_non_exhaustive()
    }
}
