//! Sends one batch of a worker: converts events to messages, and outcomes to results.

use wearlab_store::PendingEvent;

use super::attempt::{Attempt, AttemptResult};
use super::worker::Worker;
use super::{filter, payload};
use crate::{Message, Outcome, Reason};

impl Worker {
    /// Sends the events that pass the filter of the destination. None if the lease is lost before.
    pub(super) async fn send(&self, events: Vec<PendingEvent>) -> Option<Vec<(Attempt, AttemptResult)>> {
        let (mut messages, began) = (Vec::with_capacity(events.len()), (self.shared.now)());
        let mut judged: Vec<_> = (events.into_iter())
            .map(|pending| {
                let attempt = Attempt::at(&pending, began);
                let result = match self.message(pending) {
                    Ok(message) => {
                        messages.push(message);
                        None
                    }
                    Err(result) => Some(result),
                };
                (attempt, result)
            })
            .collect();
        let attempted = match messages.is_empty() {
            true => Vec::new(),
            false => self.lease.within(self.destination.attempt(&messages)).await?,
        };
        let sent = judged.iter_mut().filter(|(_, result)| result.is_none());
        for ((attempt, result), attempted) in sent.zip(attempted) {
            *result = Some(AttemptResult::Sent(attempt.saw(attempted)));
        }
        // A destination that returns too few outcomes has not sent the rest.
        let down = || {
            AttemptResult::Sent(Outcome::Down {
                reason: Reason::new("the destination returned no outcome"),
            })
        };
        let judged = judged.into_iter();
        let judged = judged.map(|(attempt, result)| (attempt, result.unwrap_or_else(down)));
        Some(judged.collect())
    }

    fn message(&self, pending: PendingEvent) -> Result<Message, AttemptResult> {
        let event = pending.event;
        if !filter::wants(&self.route, &event.event_type) {
            return Err(AttemptResult::Filtered);
        }
        if pending.behind && self.destination.ordered() {
            return Err(AttemptResult::Held);
        }
        let payload = payload::payload(&event.event_type, event.payload, self.route.pipeline());
        Ok(Message {
            event_id: event.event_id,
            event_type: event.event_type,
            team_id: event.team_id,
            user_id: Some(event.user_id),
            created_on: event.created_on.fixed_offset(),
            payload: payload.map_err(|_| AttemptResult::Unreadable)?,
        })
    }
}
