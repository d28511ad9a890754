//! What events say: from arrivals to the payloads of the webhooks in `spec/events.yaml`.

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

/// What every event has around its data.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The id of the event.
    pub event_id: String,
    /// The team that it is for.
    pub team_id: Uuid,
    /// The user that it is about.
    pub user_id: Uuid,
    /// The customer's own id of the user.
    pub client_user_id: String,
}

/// A historical pull whose chunks are all there.
#[derive(Clone)]
pub struct Pull {
    /// The slug of the provider.
    pub provider: String,
    /// The resource.
    pub resource: ResourceName,
    /// The first day.
    pub start_date: NaiveDate,
    /// The last day.
    pub end_date: NaiveDate,
    /// The values of all chunks, in the order of these.
    pub data: Vec<ExactObject>,
    /// Whether to say that this is the last event of the pull.
    pub is_final: bool,
}

/// An event, and the values and the provider's own payload that go into its data as they came: the types of the interface
/// would not keep all numbers.
pub struct Payload {
    event: Event,
    /// The text of a JSON array.
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
    /// The type of the event, such as `daily.data.steps.created`.
    pub fn event_type(&self) -> &str {
        self.event.event_type()
    }

    /// The event as the log has it.
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

/// The text of values, if there are any.
fn json_of(values: &[ExactObject]) -> Result<Option<String>, IngestError> {
    if values.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_string(values);
    text.map(Some).map_err(|_| IngestError::Document { what: "event" })
}
