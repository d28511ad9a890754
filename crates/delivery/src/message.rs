//! An event on its way.

use std::fmt;

use bytes::Bytes;
use wearlab_models::{DateTime, Uuid};

/// An event on its way to a destination. `Debug` does not show its payload.
#[derive(Clone, PartialEq)]
pub struct Message {
    /// The same at every attempt and every destination, so that consumers can drop repeats.
    pub event_id: String,
    /// The event's type, such as `daily.data.steps.created`.
    pub event_type: String,
    /// Whose event it is.
    pub team_id: Uuid,
    /// The user it is about. What has one is kept in order by it, where the kind of destination keeps order.
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
