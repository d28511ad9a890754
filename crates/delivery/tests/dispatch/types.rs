//! The event types that all kinds are tested with.

use std::collections::BTreeSet;

use wearlab_models::Event;

use crate::events::of_every_type;

#[tokio::test]
async fn there_is_an_event_of_every_type() {
    let events = of_every_type().await;
    let types: BTreeSet<&str> = events.iter().map(|message| message.event_type.as_str()).collect();
    let expected = [
        "daily.data.sleep_cycle.created",
        "daily.data.sleep_cycle.updated",
        "daily.data.steps.created",
        "daily.data.steps.updated",
        "daily.timeseries.hypnogram.created",
        "daily.timeseries.hypnogram.updated",
        "historical.data.sleep_cycle.created",
        "historical.data.steps.created",
        "historical.timeseries.hypnogram.created",
        "provider.connection.created",
    ];
    assert_eq!(types.into_iter().collect::<Vec<_>>(), expected);
    for message in events {
        let event: Event = serde_json::from_slice(&message.payload).expect("an event");
        assert!(!matches!(event, Event::Unknown(_)), "{}", message.event_type);
    }
}
