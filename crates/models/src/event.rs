//! Reads events of any type.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::consume::{ReadError, unpack};
use crate::{Event, Provider, ProviderConnection, SourceContext};

/// Implemented by the generated [`Event`]: chooses the variant of an event type.
pub(crate) trait Decode: Sized {
    fn decode(event_type: &str, payload: &RawValue) -> serde_json::Result<Self>;
}

impl Event {
    /// Reads an event from its JSON text.
    ///
    /// # Errors
    ///
    /// If the bytes are not an event. The error does not quote them.
    pub fn from_bytes(json: &[u8]) -> Result<Self, ReadError> {
        serde_json::from_slice(json).and_then(read).map_err(ReadError::Event)
    }

    /// Reads an event from the body of a message or a request, which may be compressed with gzip (feature
    /// `compression`). `content_encoding` is that of the message, if it has one; a body that begins as gzip does is
    /// decompressed in any case, into 64 MiB at most. [`consume::Message`](crate::consume::Message) has another limit
    /// on request.
    ///
    /// # Errors
    ///
    /// If the bytes cannot be unpacked, or are not an event. The error does not quote them.
    pub fn from_encoded(content_encoding: Option<&str>, body: &[u8]) -> Result<Self, ReadError> {
        Self::from_bytes(&unpack(content_encoding, body, crate::consume::LARGEST)?)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(&Box::<RawValue>::deserialize(deserializer)?)
    }
}

fn read<E: Error>(payload: &RawValue) -> Result<Event, E> {
    #[derive(Deserialize)]
    struct Tag {
        event_type: String,
    }
    // A derived reader takes a list for a struct; nothing else must.
    if !payload.get().starts_with('{') {
        return Err(E::custom("an event is an object"));
    }
    let tag: Tag = from_json(payload).map_err(|_| E::custom("an event has a string `event_type`"))?;
    // Not the text of the cause: it quotes the payload, which may be personal health data.
    Event::decode(&tag.event_type, payload).map_err(|cause| {
        let (event_type, line, column) = (&tag.event_type, cause.line(), cause.column());
        E::custom(format_args!(
            "the payload does not fit {event_type} (its line {line}, column {column})"
        ))
    })
}

pub(crate) fn from_json<T: DeserializeOwned>(payload: &RawValue) -> serde_json::Result<T> {
    serde_json::from_str(payload.get())
}

/// Returns the first of `types` that an event type belongs to; a segment in braces stands for any one segment.
pub(crate) fn family_of(event_type: &str, types: &[&'static str]) -> Option<&'static str> {
    types.iter().copied().find(|family| {
        let (mut own, mut pattern) = (event_type.split('.'), family.split('.'));
        loop {
            match (own.next(), pattern.next()) {
                (None, None) => return true,
                (Some(own), Some(pattern)) if own == pattern || pattern.starts_with('{') && !own.is_empty() => {}
                _ => return false,
            }
        }
    })
}

impl SourceContext {
    /// The provider's slug, also of payloads older than the field `provider`.
    #[expect(deprecated, reason = "older payloads have nothing else")]
    pub fn provider_slug(&self) -> Option<&str> {
        self.provider.as_deref().or(self.slug.as_deref())
    }
}

impl ProviderConnection {
    /// The provider, also of payloads older than the field `provider`.
    #[expect(deprecated, reason = "older payloads have nothing else")]
    pub fn connected_provider(&self) -> Option<&Provider> {
        self.provider.as_ref().or(self.source.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::family_of;
    use crate::Event;

    #[test]
    fn exact_types_go_before_families() {
        let family = |event_type| family_of(event_type, Event::TYPES);
        assert_eq!(
            family("daily.data.steps.created"),
            Some("daily.data.{resource}.created")
        );
        assert_eq!(
            family("daily.data.sleep_cycle.created"),
            Some("daily.data.sleep_cycle.created")
        );
        assert_eq!(family("daily.data..created"), None);
        assert_eq!(family("daily.data.steps.created.twice"), None);
        assert_eq!(family("lab.order.created"), None);
    }

    #[test]
    fn events_of_unknown_types_are_kept_byte_for_byte() {
        let text = r#"{ "z": 1.10, "event_type":"lab.order.created", "data": {"secret": 1e400} }"#;
        let event: Event = serde_json::from_str(text).expect("an unknown type is no error");
        assert_eq!(event.event_type(), "lab.order.created");
        assert_eq!(serde_json::to_string(&event).ok().as_deref(), Some(text));
        assert!(!format!("{event:?}").contains("secret"));
    }

    #[test]
    fn errors_do_not_quote_the_payload() {
        for text in [
            r#"{"event_type":"daily.data.steps.created","data":"72 bpm"}"#,
            r#"{"event_type":"daily.data.steps.created","user_id":"72 bpm"}"#,
            r#"{"event_type":["72 bpm"]}"#,
            r#"["72 bpm"]"#,
        ] {
            let error = serde_json::from_str::<Event>(text)
                .expect_err("no such event")
                .to_string();
            assert!(!error.contains("72"), "{error}");
        }
    }

    #[test]
    fn deprecated_forms_are_read() {
        let old = r#"{"event_type":"daily.data.steps.created","user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
            "data":{"data":[{"value":7031}],"source":{"name":"Stridewell","slug":"stridewell","logo":"https://x"}}}"#;
        let Ok(Event::DailyDataCreated(event)) = serde_json::from_str(old) else {
            panic!("daily data")
        };
        assert_eq!(event.data.source.provider_slug(), Some("stridewell"));
        assert!(!format!("{event:?}").contains("7031"), "health values do not show");

        let old = r#"{"event_type":"provider.connection.created","data":{"user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
            "source":{"name":"Stridewell","slug":"stridewell","logo":"https://x"},"resource_availability":{}}}"#;
        let Ok(Event::ProviderConnectionCreated(event)) = serde_json::from_str(old) else {
            panic!("a connection")
        };
        assert_eq!(
            event.data.connected_provider().map(|provider| provider.slug.as_str()),
            Some("stridewell")
        );

        let old = r#"{"event_type":"historical.data.steps.created","user_id":"5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11",
            "data":{"provider":"stridewell","resource":"steps","start_date":"2024-01-01","end_date":"2024-02-01","is_final":true}}"#;
        assert!(matches!(serde_json::from_str(old), Ok(Event::HistoricalDataCreated(_))));
    }
}
