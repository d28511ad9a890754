//! Messages of brokers, and their events.

use std::fmt;

use super::{DedupKey, LARGEST, ReadError, unpack};
use crate::{Event, Uuid};

/// A message with an event: body and labels. `Debug` does not show the body.
///
/// The service labels messages with the same names on all kinds of delivery: `event-type`, `event-id`, `team-id`,
/// `user-id`, and `content-encoding` if the body is compressed. [The module](super) shows their places in each kind.
#[derive(Clone, Copy)]
pub struct Message<'m> {
    body: &'m [u8],
    limit: usize,
    labels: Labels<'m>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Labels<'m> {
    event_type: Option<&'m str>,
    event_id: Option<&'m str>,
    team_id: Option<&'m str>,
    user_id: Option<&'m str>,
    content_encoding: Option<&'m str>,
}

/// An event, with the ids of its message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Received {
    /// The event.
    pub event: Event,
    /// Id of the event: its own, or else the message's.
    pub event_id: Option<String>,
    /// The team of the event, by the event itself, or else by the message.
    pub team_id: Option<Uuid>,
    /// The user of the event, by the event itself, or else by the message.
    pub user_id: Option<Uuid>,
}

impl<'m> Message<'m> {
    /// A message without labels.
    pub fn new(body: &'m [u8]) -> Self {
        Self {
            body,
            limit: LARGEST,
            labels: Labels::default(),
        }
    }

    /// Adds attributes, properties or headers, in any case. Those that are not the service's are ignored,
    /// as are empty ones. Of repeated ones, the first counts.
    #[must_use]
    pub fn labels<N, V>(mut self, labels: impl IntoIterator<Item = (&'m N, &'m V)>) -> Self
    where
        N: AsRef<str> + ?Sized + 'm,
        V: AsRef<str> + ?Sized + 'm,
    {
        for (name, value) in labels {
            let (name, value) = (name.as_ref(), value.as_ref());
            let own = &mut self.labels;
            let label = [
                ("event-type", &mut own.event_type),
                ("event-id", &mut own.event_id),
                ("team-id", &mut own.team_id),
                ("user-id", &mut own.user_id),
                ("content-encoding", &mut own.content_encoding),
            ]
            .into_iter()
            .find_map(|(own, label)| name.eq_ignore_ascii_case(own).then_some(label));
            if let Some(label) = label.filter(|label| label.is_none() && !value.is_empty()) {
                *label = Some(value);
            }
        }
        self
    }

    /// Sets the maximum length of the decompressed body; [`LARGEST`] by default.
    #[must_use]
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// The event's type, if the message is labelled with it: to ignore types without reading them.
    pub fn event_type(&self) -> Option<&'m str> {
        self.labels.event_type
    }

    /// Reads the event, compressed or not.
    ///
    /// # Errors
    ///
    /// If the body cannot be decompressed, or is not an event. A redelivery is the same: keep it aside.
    pub fn read(&self) -> Result<Received, ReadError> {
        let event = Event::from_bytes(&unpack(self.labels.content_encoding, self.body, self.limit)?)?;
        let id = |label: Option<&str>| label.and_then(|text| Uuid::try_parse(text).ok());
        Ok(Received {
            event_id: event.event_id().or(self.labels.event_id).map(str::to_owned),
            team_id: event.team_id().or_else(|| id(self.labels.team_id)),
            user_id: event.user_id().or_else(|| id(self.labels.user_id)),
            event,
        })
    }
}

impl Received {
    /// Identifies the event, to recognise repeats.
    pub fn dedup_key(&self) -> DedupKey {
        DedupKey::of(&self.event, self.event_id.as_deref())
    }
}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("labels", &self.labels)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Message, ReadError};
    use crate::Uuid;

    const USER: &str = "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11";
    const TEAM: &str = "0c9e2d44-8a0b-4d5c-8f0e-7a1b2c3d4e5f";

    #[test]
    fn labels_say_what_the_event_does_not() {
        let labels = HashMap::from([
            ("Event-Type".to_owned(), "lab.order.created".to_owned()),
            ("EVENT-ID".to_owned(), "evt_1".to_owned()),
            ("team-id".to_owned(), TEAM.to_owned()),
            ("user-id".to_owned(), USER.to_owned()),
            ("traceparent".to_owned(), "00-1-2-3".to_owned()),
        ]);
        let message = Message::new(br#"{"event_type":"lab.order.created"}"#).labels(&labels);
        assert_eq!(message.event_type(), Some("lab.order.created"));
        let received = message.read().expect("an event");
        assert_eq!(received.event.event_type(), "lab.order.created");
        assert_eq!(received.event_id.as_deref(), Some("evt_1"));
        assert_eq!(received.team_id, TEAM.parse().ok());
        assert_eq!(received.user_id, USER.parse().ok());
        assert_eq!(received.dedup_key().as_str(), "evt_1");
    }

    #[test]
    fn what_the_event_says_goes_before_its_labels() {
        let body = format!(r#"{{"event_type":"a","event_id":"evt_1","user_id":"{USER}"}}"#);
        let received = Message::new(body.as_bytes())
            .labels([("event-id", "evt_2"), ("user-id", TEAM), ("event-type", "b")])
            .read()
            .expect("an event");
        assert_eq!(received.event_id.as_deref(), Some("evt_1"));
        assert_eq!(received.user_id, USER.parse::<Uuid>().ok());
        assert_eq!(received.event.event_type(), "a");
    }

    #[test]
    fn odd_labels_are_no_labels() {
        let message = Message::new(br#"{"event_type":"a"}"#)
            .labels([("event-id", ""), ("event-id", "evt_1"), ("event-id", "evt_2")])
            .labels([("user-id", "me"), ("content-encoding", "")]);
        let received = message.read().expect("an event");
        assert_eq!(received.event_id.as_deref(), Some("evt_1"));
        assert_eq!(received.user_id, None);
    }

    #[test]
    fn the_encoding_is_a_label() {
        let message = Message::new(br#"{"event_type":"a"}"#).labels([("Content-Encoding", "br")]);
        assert!(matches!(message.read(), Err(ReadError::Encoding)));
        assert!(!format!("{message:?}").contains("event_type\":"));
    }

    #[cfg(feature = "compression")]
    #[test]
    fn the_limit_is_a_setting() {
        use std::io::Write;

        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(br#"{"event_type":"a"}"#).expect("memory");
        let body = encoder.finish().expect("memory");
        let message = Message::new(&body).labels([("content-encoding", "gzip")]);
        assert!(message.read().is_ok() && message.at_most(18).read().is_ok());
        assert!(matches!(message.at_most(17).read(), Err(ReadError::TooLarge(17))));
    }
}
