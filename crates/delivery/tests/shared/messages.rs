//! Messages of users, and their delivery as by a dispatcher.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use wearlab_delivery::{Destination, Message, Outcome};
use wearlab_models::Uuid;

/// A value that no log and no reason may show.
pub(crate) const HEALTH: &str = "hba1c-7031";

pub(crate) fn message(user: u128, event_id: &str) -> Message {
    Message {
        event_id: event_id.to_owned(),
        event_type: "daily.data.steps.created".to_owned(),
        team_id: Uuid::from_u128(1),
        user_id: Some(Uuid::from_u128(user)),
        created_on: DateTime::<Utc>::from_timestamp(1_800_000_000, 0)
            .expect("a time")
            .fixed_offset(),
        payload: format!(r#"{{"event_type":"daily.data.steps.created","data":"{HEALTH} {event_id}"}}"#).into(),
    }
}

/// Delivers like a dispatcher: repeats failed messages until everything is delivered. Returns the number of calls that
/// found the peer down.
pub(crate) async fn until_delivered(destination: &impl Destination, messages: &[Message]) -> usize {
    let mut left = messages.to_vec();
    let mut downs = 0;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(180) {
        let sent = &left[..left.len().min(destination.batch())];
        let outcomes = destination.deliver(sent).await;
        downs += usize::from(outcomes.iter().any(|outcome| matches!(outcome, Outcome::Down { .. })));
        let mut outcomes = outcomes.iter();
        left.retain(|_| outcomes.next() != Some(&Outcome::Delivered));
        if left.is_empty() {
            return downs;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{} are left", left.len());
}
