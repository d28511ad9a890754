//! Events of types that the document does not describe.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::Uuid;

/// An event of a type that the document does not describe.
///
/// It is written back byte for byte as received. `Debug` shows only its type.
#[derive(Clone)]
pub struct UnknownEvent {
    event_type: String,
    labels: Labels,
    payload: Box<RawValue>,
}

/// The envelope of all events, as far as this one has it.
#[derive(Clone, Default)]
struct Labels {
    event_id: Option<String>,
    team_id: Option<Uuid>,
    user_id: Option<Uuid>,
    client_user_id: Option<String>,
}

impl UnknownEvent {
    pub(crate) fn new(event_type: &str, payload: &RawValue) -> Self {
        Self {
            event_type: event_type.to_owned(),
            labels: Labels::of(payload),
            payload: payload.to_owned(),
        }
    }

    /// The event's type.
    pub fn event_type(&self) -> &str {
        &self.event_type
    }

    /// The event's JSON text, as received.
    pub fn json(&self) -> &str {
        self.payload.get()
    }

    pub(crate) fn event_id(&self) -> Option<&str> {
        self.labels.event_id.as_deref()
    }

    pub(crate) fn team_id(&self) -> Option<Uuid> {
        self.labels.team_id
    }

    pub(crate) fn user_id(&self) -> Option<Uuid> {
        self.labels.user_id
    }

    pub(crate) fn client_user_id(&self) -> Option<&str> {
        self.labels.client_user_id.as_deref()
    }
}

impl Labels {
    /// Reads the members of the usual types; any others are not errors here.
    fn of(payload: &RawValue) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Top<'a> {
            #[serde(borrow)]
            event_id: Option<&'a RawValue>,
            #[serde(borrow)]
            team_id: Option<&'a RawValue>,
            #[serde(borrow)]
            user_id: Option<&'a RawValue>,
            #[serde(borrow)]
            client_user_id: Option<&'a RawValue>,
            #[serde(borrow)]
            data: Option<&'a RawValue>,
        }

        let top: Top<'_> = serde_json::from_str(payload.get()).unwrap_or_default();
        // A derived reader takes a list for a struct.
        let data = top.data.filter(|data| data.get().starts_with('{'));
        let data: Top<'_> = data
            .and_then(|data| serde_json::from_str(data.get()).ok())
            .unwrap_or_default();
        Self {
            event_id: value(top.event_id),
            team_id: value(top.team_id),
            user_id: value(top.user_id).or_else(|| value(data.user_id)),
            client_user_id: value(top.client_user_id),
        }
    }
}

fn value<T: DeserializeOwned>(text: Option<&RawValue>) -> Option<T> {
    serde_json::from_str(text?.get()).ok()
}

impl fmt::Debug for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnknownEvent")
            .field("event_type", &self.event_type)
            .finish_non_exhaustive()
    }
}

impl PartialEq for UnknownEvent {
    fn eq(&self, other: &Self) -> bool {
        self.payload.get() == other.payload.get()
    }
}

impl Serialize for UnknownEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.payload.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Event, Uuid};

    #[test]
    fn what_they_say_around_their_data_is_read() {
        let id = "5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11";
        let uuid: Uuid = id.parse().expect("an id");
        let text = format!(
            r#"{{"event_type":"lab.order.created","event_id":"evt_\u0031","team_id":"{id}","client_user_id":"m-1","data":{{"user_id":"{id}","data":1e400}}}}"#
        );
        let event = Event::from_bytes(text.as_bytes()).expect("an event");
        assert_eq!(event.event_id(), Some("evt_1"));
        assert_eq!(event.team_id(), Some(uuid));
        assert_eq!(event.user_id(), Some(uuid));
        assert_eq!(event.client_user_id(), Some("m-1"));
    }

    #[test]
    fn what_is_odd_is_left_alone() {
        for text in [
            r#"{"event_type":"a","event_id":7,"user_id":"me","team_id":null,"data":["5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11"]}"#,
            r#"{"event_type":"a","event_id":"one","event_id":"two"}"#,
            r#"{"event_type":"a","data":"text"}"#,
        ] {
            let event = Event::from_bytes(text.as_bytes()).expect("an event");
            assert_eq!(event.event_id(), None);
            assert_eq!(event.user_id().or(event.team_id()), None);
            assert_eq!(serde_json::to_string(&event).ok().as_deref(), Some(text));
        }
    }
}
