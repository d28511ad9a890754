//! What events say: from arrivals to the payloads of section 6 of the interface.
#![expect(deprecated, reason = "deprecated forms are sent for as long as the operator wants")]

mod values;

use chrono::NaiveDate;
use serde::Serialize;
use uuid::Uuid;
use wearlab_models::{
    ConnectedProvider, DailyData, DailyDataEvent, DailyHypnogramData, DailyHypnogramEvent, DailySleepCycleData,
    DailySleepCycleEvent, Event, HistoricalData, HistoricalDataEvent, HistoricalHypnogramData,
    HistoricalHypnogramEvent, HistoricalSleepCycleData, HistoricalSleepCycleEvent, Provider, ProviderConnection,
    ProviderConnectionCreatedEvent, ResourceName, SourceContext,
};

use self::values::hypnogram;
pub(crate) use self::values::write_times;
use crate::{ArrivalSource, Completed, DataArrival, ExactObject, ExactValue, IngestError};

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
        let event = ExactValue::read(&event).map_err(|_| IngestError::Document { what: WHAT })?;
        let ExactValue::Object(event) = event else {
            return Err(IngestError::Document { what: WHAT });
        };
        let mut text = String::with_capacity(512 + self.values.as_ref().map_or(0, String::len));
        text.push('{');
        for (name, member) in event.iter() {
            match member {
                ExactValue::Object(data) if name == "data" => {
                    push_name(name, &mut text);
                    self.push_data(data, &mut text)?;
                }
                member => push_member(name, member, &mut text)?,
            }
        }
        text.push('}');
        Ok(text)
    }

    /// Appends the data of the event, with the values and the provider's own payload in them.
    fn push_data(&self, data: &ExactObject, text: &mut String) -> Result<(), IngestError> {
        text.push('{');
        let replaced = |name: &str| match name {
            "data" => self.values.is_some(),
            "raw" => !self.raw.is_empty(),
            _ => false,
        };
        for (name, member) in data.iter().filter(|(name, _)| !replaced(name)) {
            push_member(name, member, text)?;
        }
        if let Some(values) = &self.values {
            push_name("data", text);
            text.push_str(values);
        }
        if !self.raw.is_empty() {
            push_member("raw", &self.raw, text)?;
        }
        text.push('}');
        Ok(())
    }
}

fn push_member(name: &str, value: &impl Serialize, text: &mut String) -> Result<(), IngestError> {
    push_name(name, text);
    text.push_str(&serde_json::to_string(value).map_err(|_| IngestError::Document { what: "event" })?);
    Ok(())
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

/// Builds an event of a type, around its data. All envelopes have the same fields.
macro_rules! event {
    ($event:ident, $envelope:expr, $event_type:expr, $data:expr) => {
        $event::builder()
            .event_type($event_type)
            .user_id($envelope.user_id)
            .client_user_id($envelope.client_user_id)
            .team_id($envelope.team_id)
            .event_id($envelope.event_id)
            .data($data)
            .build()
    };
}

/// `created`, or `updated` where there were data of that day before.
fn verb(again: bool) -> &'static str {
    if again { "updated" } else { "created" }
}

/// New or changed data of a day.
///
/// # Errors
///
/// Where a value cannot be written.
pub fn daily(
    envelope: Envelope,
    completed: &Completed<'_>,
    again: bool,
    source: SourceContext,
) -> Result<Payload, IngestError> {
    let arrival = &*completed.arrival;
    let event_type = format!("daily.data.{}.{}", arrival.resource, verb(again));
    let event = if arrival.resource == ResourceName::SleepCycle {
        let data = DailySleepCycleData::builder().data(Vec::new()).source(source).build();
        let event = event!(DailySleepCycleEvent, envelope, event_type, data);
        match again {
            true => Event::DailySleepCycleUpdated(event),
            false => Event::DailySleepCycleCreated(event),
        }
    } else {
        let data = DailyData::builder().data(Vec::new()).source(source).build();
        let event = event!(DailyDataEvent, envelope, event_type, data);
        match again {
            true => Event::DailyDataUpdated(event),
            false => Event::DailyDataCreated(event),
        }
    };
    Ok(Payload {
        event,
        values: Some(completed.values(|_| true)?),
        raw: arrival.raw.clone(),
    })
}

/// Data that were deleted: `deleted` says which.
///
/// # Errors
///
/// Where that cannot be written.
pub fn daily_deleted(
    envelope: Envelope,
    resource: &ResourceName,
    deleted: ExactObject,
    source: SourceContext,
) -> Result<Payload, IngestError> {
    let data = DailyData::builder().data(Vec::new()).source(source).build();
    let event_type = format!("daily.data.{resource}.deleted");
    Ok(Payload {
        event: Event::DailyDataDeleted(event!(DailyDataEvent, envelope, event_type, data)),
        values: json_of(&[deleted])?,
        raw: ExactObject::default(),
    })
}

/// The deprecated form of the event of a sleep cycle, or that of a hypnogram.
///
/// # Errors
///
/// Where a value cannot be written.
pub fn daily_hypnogram(
    envelope: Envelope,
    arrival: &DataArrival,
    again: bool,
    source: SourceContext,
) -> Result<Payload, IngestError> {
    let data = DailyHypnogramData::builder().data(Vec::new()).source(source).build();
    let event_type = format!("daily.timeseries.hypnogram.{}", verb(again));
    let event = event!(DailyHypnogramEvent, envelope, event_type, data);
    Ok(Payload {
        event: match again {
            true => Event::DailyHypnogramUpdated(event),
            false => Event::DailyHypnogramCreated(event),
        },
        values: json_of(&hypnogram(&arrival.resource, &arrival.data))?,
        raw: arrival.raw.clone(),
    })
}

/// The end of a historical pull.
///
/// # Errors
///
/// Where a value cannot be written.
pub fn historical(envelope: Envelope, pull: Pull) -> Result<Payload, IngestError> {
    let event_type = format!("historical.data.{}.created", pull.resource);
    let is_final = pull.is_final.then_some(true);
    if pull.resource == ResourceName::SleepCycle {
        let mut values = pull.data;
        // Chunks of earlier versions were kept as they came.
        values.iter_mut().for_each(|value| write_times(&pull.resource, value));
        let data = HistoricalSleepCycleData::builder()
            .provider(pull.provider)
            .resource(pull.resource)
            .start_date(pull.start_date)
            .end_date(pull.end_date)
            .maybe_is_final(is_final)
            .build();
        let event = event!(HistoricalSleepCycleEvent, envelope, event_type, data);
        return Ok(Payload {
            event: Event::HistoricalSleepCycleCreated(event),
            values: json_of(&values)?,
            raw: ExactObject::default(),
        });
    }
    let data = HistoricalData::builder()
        .provider(pull.provider)
        .resource(pull.resource)
        .start_date(pull.start_date)
        .end_date(pull.end_date)
        .maybe_is_final(is_final)
        .build();
    let event = event!(HistoricalDataEvent, envelope, event_type, data);
    Ok(Payload {
        event: Event::HistoricalDataCreated(event),
        values: json_of(&pull.data)?,
        raw: ExactObject::default(),
    })
}

/// The deprecated form of the end of a historical pull of sleep cycles, or of hypnograms.
///
/// # Errors
///
/// Where a value cannot be written.
pub fn historical_hypnogram(envelope: Envelope, pull: Pull) -> Result<Payload, IngestError> {
    let values = hypnogram(&pull.resource, &pull.data);
    let data = HistoricalHypnogramData::builder()
        .provider(pull.provider)
        .resource(ResourceName::Hypnogram)
        .start_date(pull.start_date)
        .end_date(pull.end_date)
        .build();
    let event_type = "historical.timeseries.hypnogram.created";
    let event = event!(HistoricalHypnogramEvent, envelope, event_type, data);
    Ok(Payload {
        event: Event::HistoricalHypnogramCreated(event),
        values: json_of(&values)?,
        raw: ExactObject::default(),
    })
}

/// A user connected a provider. `with_source` repeats the provider under its older name.
pub fn connection_created(envelope: Envelope, connection: &ConnectedProvider, with_source: bool) -> Event {
    let provider = Provider::builder()
        .name(&connection.name)
        .slug(&connection.slug)
        .logo(&connection.logo)
        .build();
    let data = ProviderConnection::builder()
        .provider(provider.clone())
        .user_id(envelope.user_id)
        .resource_availability(connection.resource_availability.clone())
        .maybe_source(with_source.then_some(provider))
        .build();
    let event = ProviderConnectionCreatedEvent::builder()
        .event_type("provider.connection.created")
        .client_user_id(envelope.client_user_id)
        .team_id(envelope.team_id)
        .event_id(envelope.event_id)
        .data(data)
        .build();
    Event::ProviderConnectionCreated(event)
}

/// Where daily data come from. A kind of source that the arrival does not name is `unknown`. `details` adds the provider's details, in their deprecated form.
pub fn source(provider: &str, source: &ArrivalSource, details: Option<&ConnectedProvider>) -> SourceContext {
    SourceContext::builder()
        .provider(provider)
        .type_(source.kind())
        .maybe_app_id(source.app_id.clone())
        .maybe_name(details.map(|provider| provider.name.clone()))
        .maybe_logo(details.map(|provider| provider.logo.clone()))
        .maybe_slug(details.map(|provider| provider.slug.clone()))
        .build()
}
