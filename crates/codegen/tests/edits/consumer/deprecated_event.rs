//! Uses the deprecated event: an unfulfilled expectation is an error here.

use wearlab_models::Event;

/// The reader.
#[expect(deprecated, reason = "what this edit is about")]
pub fn is_update(event: &Event) -> bool {
    matches!(event, Event::DailyDataUpdated(_))
}
