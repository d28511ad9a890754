//! What events say: from arrivals to the payloads of section 6 of the interface.
#![expect(deprecated, reason = "deprecated forms are sent for as long as the operator wants")]

use chrono::NaiveDate;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;
use wearlab_models::{
    ConnectedProvider, DailyData, DailyDataEvent, DailyHypnogramData, DailyHypnogramEvent, DailySleepCycleData,
    DailySleepCycleEvent, Event, HistoricalData, HistoricalDataEvent, HistoricalHypnogramData,
    HistoricalHypnogramEvent, HistoricalSleepCycleData, HistoricalSleepCycleEvent, HypnogramEntry, JsonObject,
    Provider, ProviderConnection, ProviderConnectionCreatedEvent, ResourceName, SleepCycle, SourceContext,
};

use crate::{DataArrival, StoreError};

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
pub(crate) struct Pull {
    pub(crate) provider: String,
    pub(crate) resource: ResourceName,
    pub(crate) start_date: NaiveDate,
    pub(crate) end_date: NaiveDate,
    pub(crate) data: Vec<JsonObject>,
    /// Whether to say that this is the last event of the pull.
    pub(crate) is_final: bool,
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
pub(crate) fn daily(
    envelope: Envelope,
    arrival: &DataArrival,
    again: bool,
    source: SourceContext,
) -> Result<Event, StoreError> {
    let event_type = format!("daily.data.{}.{}", arrival.resource, verb(again));
    let raw = arrival.raw.clone();
    if arrival.resource == ResourceName::SleepCycle {
        let data = DailySleepCycleData::builder()
            .data(sleep_cycles(&arrival.data)?)
            .source(source)
            .raw(raw)
            .build();
        let event = event!(DailySleepCycleEvent, envelope, event_type, data);
        return Ok(match again {
            true => Event::DailySleepCycleUpdated(event),
            false => Event::DailySleepCycleCreated(event),
        });
    }
    let data = DailyData::builder()
        .data(arrival.data.clone())
        .source(source)
        .raw(raw)
        .build();
    let event = event!(DailyDataEvent, envelope, event_type, data);
    Ok(match again {
        true => Event::DailyDataUpdated(event),
        false => Event::DailyDataCreated(event),
    })
}

/// The deprecated form of the event of a sleep cycle, or that of a hypnogram.
pub(crate) fn daily_hypnogram(
    envelope: Envelope,
    arrival: &DataArrival,
    again: bool,
    source: SourceContext,
) -> Result<Event, StoreError> {
    let data = DailyHypnogramData::builder()
        .data(hypnogram(&arrival.resource, &arrival.data)?)
        .source(source)
        .raw(arrival.raw.clone())
        .build();
    let event_type = format!("daily.timeseries.hypnogram.{}", verb(again));
    let event = event!(DailyHypnogramEvent, envelope, event_type, data);
    Ok(match again {
        true => Event::DailyHypnogramUpdated(event),
        false => Event::DailyHypnogramCreated(event),
    })
}

/// The end of a historical pull.
pub(crate) fn historical(envelope: Envelope, pull: Pull) -> Result<Event, StoreError> {
    let event_type = format!("historical.data.{}.created", pull.resource);
    let is_final = pull.is_final.then_some(true);
    if pull.resource == ResourceName::SleepCycle {
        let data = HistoricalSleepCycleData::builder()
            .data(sleep_cycles(&pull.data)?)
            .provider(pull.provider)
            .resource(pull.resource)
            .start_date(pull.start_date)
            .end_date(pull.end_date)
            .maybe_is_final(is_final)
            .build();
        let event = event!(HistoricalSleepCycleEvent, envelope, event_type, data);
        return Ok(Event::HistoricalSleepCycleCreated(event));
    }
    let data = HistoricalData::builder()
        .provider(pull.provider)
        .resource(pull.resource)
        .start_date(pull.start_date)
        .end_date(pull.end_date)
        .data(pull.data)
        .maybe_is_final(is_final)
        .build();
    let event = event!(HistoricalDataEvent, envelope, event_type, data);
    Ok(Event::HistoricalDataCreated(event))
}

/// The deprecated form of the end of a historical pull of sleep cycles, or of hypnograms.
pub(crate) fn historical_hypnogram(envelope: Envelope, pull: Pull) -> Result<Event, StoreError> {
    let data = HistoricalHypnogramData::builder()
        .data(hypnogram(&pull.resource, &pull.data)?)
        .provider(pull.provider)
        .resource(ResourceName::Hypnogram)
        .start_date(pull.start_date)
        .end_date(pull.end_date)
        .build();
    let event_type = "historical.timeseries.hypnogram.created";
    let event = event!(HistoricalHypnogramEvent, envelope, event_type, data);
    Ok(Event::HistoricalHypnogramCreated(event))
}

/// A user connected a provider. `with_source` repeats the provider under its older name.
pub(crate) fn connection_created(envelope: Envelope, connection: &ConnectedProvider, with_source: bool) -> Event {
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

/// Where daily data come from. `connection` adds the provider's details, in their deprecated form.
pub(crate) fn source(arrival: &DataArrival, details: Option<&ConnectedProvider>) -> SourceContext {
    SourceContext::builder()
        .provider(&arrival.provider)
        .maybe_type_(arrival.source.type_.clone())
        .maybe_app_id(arrival.source.app_id.clone())
        .maybe_name(details.map(|provider| provider.name.clone()))
        .maybe_logo(details.map(|provider| provider.logo.clone()))
        .maybe_slug(details.map(|provider| provider.slug.clone()))
        .build()
}

/// Checks that a resource can be a part of an event type, and that values have the shape that it has, if it has one.
pub(crate) fn check(resource: &ResourceName, values: &[JsonObject]) -> Result<(), StoreError> {
    let name = resource.as_str();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if name.is_empty() || !name.bytes().all(fits) {
        let what = "the resource is no name of letters, digits, _ and -";
        return Err(StoreError::Conflict { what });
    }
    match resource {
        ResourceName::SleepCycle => sleep_cycles(values).map(drop),
        ResourceName::Hypnogram => hypnogram(resource, values).map(drop),
        _ => Ok(()),
    }
}

fn sleep_cycles(values: &[JsonObject]) -> Result<Vec<SleepCycle>, StoreError> {
    typed(values, "the values are not sleep cycles")
}

/// The stages of a hypnogram, or those of sleep cycles one after the other.
fn hypnogram(resource: &ResourceName, values: &[JsonObject]) -> Result<Vec<HypnogramEntry>, StoreError> {
    if *resource == ResourceName::SleepCycle {
        let cycles = sleep_cycles(values)?.into_iter();
        return Ok(cycles.flat_map(|cycle| cycle.hypnogram).collect());
    }
    typed(values, "the values are not stages of a hypnogram")
}

fn typed<T: DeserializeOwned>(values: &[JsonObject], what: &'static str) -> Result<Vec<T>, StoreError> {
    let values = values
        .iter()
        .map(|value| serde_json::from_value(Value::Object(value.clone())));
    // Without the cause: it quotes the values.
    values
        .collect::<Result<_, _>>()
        .map_err(|_| StoreError::Conflict { what })
}
