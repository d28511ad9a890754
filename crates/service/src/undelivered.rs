//! Failed deliveries and destinations in responses.

use wearlab_models::{Destination, UndeliveredEvent, UndeliveredState};
use wearlab_store::{DeliveryState, DestinationBacklog, Undelivered};

use super::managed::refused;
use super::write::WriteError;
use crate::administration::destinations::Described;
use crate::administration::trigger::TriggerError;

impl From<TriggerError> for WriteError {
    fn from(error: TriggerError) -> Self {
        match error {
            TriggerError::Store(error) => Self::Store(error),
            TriggerError::UnknownType(error) => refused("event_type", "unknown", &error.to_string()).into(),
        }
    }
}

pub(super) fn undelivered(event: Undelivered) -> UndeliveredEvent {
    let (state, due) = match event.state {
        DeliveryState::Waiting(due) => (UndeliveredState::Waiting, Some(due.fixed_offset())),
        DeliveryState::Held => (UndeliveredState::Held, None),
        DeliveryState::Parked => (UndeliveredState::Parked, None),
    };
    UndeliveredEvent::builder()
        .number(event.number)
        .event_id(event.event_id)
        .event_type(event.event_type)
        .team_id(event.team_id)
        .kind(event.kind)
        .maybe_webhook_id(event.webhook_id)
        .attempts(i64::from(event.attempts))
        .state(state)
        .maybe_due(due)
        .reason(event.reason)
        .build()
}

pub(super) fn destination(described: Described) -> Destination {
    let DestinationBacklog { status, backlog, .. } = described.backlog;
    let since = status.outage.map(|outage| outage.since);
    Destination::builder()
        .team_id(status.team_id)
        .kind(status.kind)
        .maybe_webhook_id(status.webhook_id)
        .status(described.status)
        .maybe_reason(described.reason)
        .maybe_since(since.map(|since| since.fixed_offset()))
        .maybe_next_attempt(described.next_attempt.map(|next| next.fixed_offset()))
        .waiting(backlog.waiting)
        .parked(backlog.parked)
        .maybe_oldest(backlog.oldest.map(|oldest| oldest.fixed_offset()))
        .build()
}
