//! What events say: from arrivals to the payloads of section 6 of the interface.
#![expect(deprecated, reason = "deprecated forms are sent for as long as the operator wants")]

mod values;

use chrono::NaiveDate;
use uuid::Uuid;
use wearlab_models::{
    ConnectedProvider, DailyData, DailyDataEvent, DailyHypnogramData, DailyHypnogramEvent, DailySleepCycleData,
    DailySleepCycleEvent, Event, HistoricalData, HistoricalDataEvent, HistoricalHypnogramData,
    HistoricalHypnogramEvent, HistoricalSleepCycleData, HistoricalSleepCycleEvent, Provider, ProviderConnection,
    ProviderConnectionCreatedEvent, ResourceName, SourceContext,
};

use self::values::hypnogram;
pub(crate) use self::values::write_times;
use crate::{ArrivalSource, DataArrival, ExactObject, ExactValue, IngestError};

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
    values: Vec<ExactObject>,
    raw: ExactObject,
}

impl From<Event> for Payload {
    fn from(event: Event) -> Self {
        Self {
            event,
            values: Vec::new(),
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
        if self.values.is_empty() && self.raw.is_empty() {
            return Ok(event);
        }
        let mut event = ExactValue::read(&event).map_err(|_| IngestError::Document { what: WHAT })?;
        if let ExactValue::Object(event) = &mut event
            && let Some(ExactValue::Object(data)) = event.get_mut("data")
        {
            if !self.values.is_empty() {
                let values = self.values.into_iter().map(ExactValue::Object);
                data.insert("data", ExactValue::Array(values.collect()));
            }
            if !self.raw.is_empty() {
                data.insert("raw", ExactValue::Object(self.raw));
            }
        }
        serde_json::to_string(&event).map_err(failed)
    }
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
pub fn daily(envelope: Envelope, arrival: &DataArrival, again: bool, source: SourceContext) -> Payload {
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
    Payload {
        event,
        values: arrival.data.clone(),
        raw: arrival.raw.clone(),
    }
}

/// Data that were deleted: `deleted` says which.
pub fn daily_deleted(
    envelope: Envelope,
    resource: &ResourceName,
    deleted: ExactObject,
    source: SourceContext,
) -> Payload {
    let data = DailyData::builder().data(Vec::new()).source(source).build();
    let event_type = format!("daily.data.{resource}.deleted");
    Payload {
        event: Event::DailyDataDeleted(event!(DailyDataEvent, envelope, event_type, data)),
        values: vec![deleted],
        raw: ExactObject::default(),
    }
}

/// The deprecated form of the event of a sleep cycle, or that of a hypnogram.
pub fn daily_hypnogram(envelope: Envelope, arrival: &DataArrival, again: bool, source: SourceContext) -> Payload {
    let data = DailyHypnogramData::builder().data(Vec::new()).source(source).build();
    let event_type = format!("daily.timeseries.hypnogram.{}", verb(again));
    let event = event!(DailyHypnogramEvent, envelope, event_type, data);
    Payload {
        event: match again {
            true => Event::DailyHypnogramUpdated(event),
            false => Event::DailyHypnogramCreated(event),
        },
        values: hypnogram(&arrival.resource, &arrival.data),
        raw: arrival.raw.clone(),
    }
}

/// The end of a historical pull.
pub fn historical(envelope: Envelope, pull: Pull) -> Payload {
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
        return Payload {
            event: Event::HistoricalSleepCycleCreated(event),
            values,
            raw: ExactObject::default(),
        };
    }
    let data = HistoricalData::builder()
        .provider(pull.provider)
        .resource(pull.resource)
        .start_date(pull.start_date)
        .end_date(pull.end_date)
        .maybe_is_final(is_final)
        .build();
    let event = event!(HistoricalDataEvent, envelope, event_type, data);
    Payload {
        event: Event::HistoricalDataCreated(event),
        values: pull.data,
        raw: ExactObject::default(),
    }
}

/// The deprecated form of the end of a historical pull of sleep cycles, or of hypnograms.
pub fn historical_hypnogram(envelope: Envelope, pull: Pull) -> Payload {
    let values = hypnogram(&pull.resource, &pull.data);
    let data = HistoricalHypnogramData::builder()
        .provider(pull.provider)
        .resource(ResourceName::Hypnogram)
        .start_date(pull.start_date)
        .end_date(pull.end_date)
        .build();
    let event_type = "historical.timeseries.hypnogram.created";
    let event = event!(HistoricalHypnogramEvent, envelope, event_type, data);
    Payload {
        event: Event::HistoricalHypnogramCreated(event),
        values,
        raw: ExactObject::default(),
    }
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
