//! Keys that identify events, to recognise repeats.

use std::fmt;

use crate::{Event, Uuid};

/// Namespace of the hashes of payloads.
const PAYLOADS: Uuid = Uuid::from_u128(0x6b1f_3c58_7d0e_4a92_b5c4_0e9d_2f71_8a36);

/// Key of an event. Two deliveries of the event have the same key, by any kind of delivery.
///
/// It is the event's id. An event without one, as older services send them, has a hash of its content: the same on
/// every machine, and for the same version of this crate. Two such events with the same content have one key, even if
/// they are distinct: a connection that is created again, say. A [`Deduplicator`](crate::consume::Deduplicator) evicts
/// keys after a while, so that this does no harm.
///
/// The text may be kept, in a column with a unique index, for example.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DedupKey(String);

impl DedupKey {
    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of an event with an id: its own precedes that of the message.
    pub(crate) fn of(event: &Event, id: Option<&str>) -> Self {
        event
            .event_id()
            .or(id)
            .map_or_else(|| Self::of_payload(event), |id| Self(id.to_owned()))
    }

    fn of_payload(event: &Event) -> Self {
        let text = match event {
            Event::Unknown(unknown) => unknown.json().to_owned(),
            known => {
                let mut value = serde_json::to_value(known).expect("events are JSON");
                value.sort_all_objects();
                value.to_string()
            }
        };
        Self(format!("payload-{}", Uuid::new_v5(&PAYLOADS, text.as_bytes())))
    }
}

impl From<&str> for DedupKey {
    /// A custom key, or a saved one.
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for DedupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Event {
    /// Identifies the event, to recognise repeats. Take it before [`upgraded`](Self::upgraded).
    pub fn dedup_key(&self) -> DedupKey {
        DedupKey::of(self, None)
    }
}

#[cfg(test)]
mod tests {
    use super::DedupKey;
    use crate::Event;

    fn key(text: &str) -> DedupKey {
        Event::from_bytes(text.as_bytes()).expect("an event").dedup_key()
    }

    fn steps(extra: &str, data: &str) -> String {
        format!(
            r#"{{"event_type":"daily.data.steps.created"{extra},"user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11","data":{data}}}"#
        )
    }

    const DATA: &str = r#"{"data":[{"value":1,"unit":"count"}],"source":{"provider":"stridewell"}}"#;

    #[test]
    fn the_id_is_the_key() {
        let key_of = |extra| key(&steps(extra, DATA));
        assert_eq!(key_of(r#","event_id":"evt_1""#).as_str(), "evt_1");
        assert_eq!(
            key(r#"{"event_type":"lab.order.created","event_id":"evt_2"}"#).as_str(),
            "evt_2"
        );
        assert_ne!(key_of(""), key_of(r#","event_id":"evt_1""#));
    }

    #[test]
    fn without_an_id_it_is_what_the_event_says() {
        let plain = key(&steps("", DATA));
        // Keys are kept: another hash would let every event of the last days through again.
        assert_eq!(plain.as_str(), "payload-934e2858-7b0f-5138-bad6-7cb8f81f8360");
        let spaced = r#"{ "source" : {"provider":"stridewell","app_id":null}, "data":[{"unit":"count", "value":1}] }"#;
        assert_eq!(key(&steps("", spaced)), plain, "neither order nor spaces say anything");
        for data in [
            DATA.replace(":1", ":2"),
            DATA.replace("count", "Count"),
            DATA.replace("stride", ""),
        ] {
            assert_ne!(key(&steps("", &data)), plain, "{data}");
        }
        let unknown = r#"{"event_type":"lab.order.created","data":1e400}"#;
        assert_eq!(key(unknown), key(unknown));
        assert_ne!(key(unknown), key(&unknown.replace("400", "401")));
    }

    #[test]
    fn the_id_that_a_message_came_with_counts_where_the_event_has_none() {
        let event = |extra| Event::from_bytes(steps(extra, DATA).as_bytes()).expect("an event");
        assert_eq!(DedupKey::of(&event(""), Some("msg_1")).as_str(), "msg_1");
        let own = DedupKey::of(&event(r#","event_id":"evt_1""#), Some("msg_1"));
        assert_eq!(own.as_str(), "evt_1");
    }
}
