//! Payloads of events: from arrivals to the webhooks in `spec/events.yaml`.

mod events;
mod values;

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_models::{Event, ResourceName};

pub use self::events::{
    connection_created, connection_failed, daily, daily_deleted, daily_hypnogram, historical, historical_hypnogram,
    order_created, order_updated, result_created, source,
};
pub(crate) use self::values::write_times;
use crate::exact::members;
use crate::{ExactObject, IngestError};

/// Common fields of every event.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Id of the event.
    pub event_id: String,
    /// Team of the user.
    pub team_id: Uuid,
    /// User of the event.
    pub user_id: Uuid,
    /// Customer's own id of the user.
    pub client_user_id: String,
}

/// Historical pull with all its chunks.
#[derive(Clone)]
pub struct Pull {
    /// Slug of the provider.
    pub provider: String,
    /// Resource of the pull.
    pub resource: ResourceName,
    /// First day.
    pub start_date: NaiveDate,
    /// Last day.
    pub end_date: NaiveDate,
    /// Values of all chunks, in the order of these.
    pub data: Vec<ExactObject>,
    /// True if the event marks itself as the last of the pull.
    pub is_final: bool,
}

/// Event, with its values and the provider's own payload as text: the types of the API would not keep all numbers.
pub struct Payload {
    event: Event,
    /// Text of a JSON array.
    values: Option<String>,
    raw: ExactObject,
}

impl From<Event> for Payload {
    fn from(event: Event) -> Self {
        Self {
            event,
            values: None,
            raw: ExactObject::default(),
        }
    }
}

impl Payload {
    /// Returns the type of the event, such as `daily.data.steps.created`.
    pub fn event_type(&self) -> &str {
        self.event.event_type()
    }

    /// Encodes the event for the log.
    pub fn encode(self) -> Result<String, IngestError> {
        const WHAT: &str = "event";
        let failed = |_| IngestError::Document { what: WHAT };
        let event = serde_json::to_string(&self.event).map_err(failed)?;
        if self.values.is_none() && self.raw.is_empty() {
            return Ok(event);
        }
        let mut text = String::with_capacity(512 + self.values.as_ref().map_or(0, String::len));
        text.push('{');
        for (name, member) in members(&event).map_err(failed)? {
            push_name(&name, &mut text);
            match name.as_str() {
                "data" => self.push_data(member.get(), &mut text)?,
                _ => text.push_str(member.get()),
            }
        }
        text.push('}');
        Ok(text)
    }

    /// Appends the data of the event, with the values and the provider's own payload in them.
    fn push_data(&self, data: &str, text: &mut String) -> Result<(), IngestError> {
        let failed = |_| IngestError::Document { what: "event" };
        text.push('{');
        let replaced = |name: &str| match name {
            "data" => self.values.is_some(),
            "raw" => !self.raw.is_empty(),
            _ => false,
        };
        let members = members(data).map_err(failed)?.into_iter();
        for (name, member) in members.filter(|(name, _)| !replaced(name)) {
            push_name(&name, text);
            text.push_str(member.get());
        }
        if let Some(values) = &self.values {
            push_name("data", text);
            text.push_str(values);
        }
        if !self.raw.is_empty() {
            push_name("raw", text);
            text.push_str(&serde_json::to_string(&self.raw).map_err(failed)?);
        }
        text.push('}');
        Ok(())
    }
}

/// Appends the name of a member, which needs no escapes.
fn push_name(name: &str, text: &mut String) {
    if !text.ends_with('{') {
        text.push(',');
    }
    text.push('"');
    text.push_str(name);
    text.push_str("\":");
}

/// Returns the text of values, if there are any.
fn json_of(values: &[ExactObject]) -> Result<Option<String>, IngestError> {
    if values.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_string(values);
    text.map(Some).map_err(|_| IngestError::Document { what: "event" })
}
