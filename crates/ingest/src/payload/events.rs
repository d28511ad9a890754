//! Constructors of events, one for each type.
#![expect(deprecated, reason = "deprecated forms are sent for as long as the operator wants")]

use uuid::Uuid;
use wearlab_models::{
    ConnectedProvider, ConnectionError, DailyData, DailyDataEvent, DailyHypnogramData, DailyHypnogramEvent,
    DailySleepCycleData, DailySleepCycleEvent, Event, HistoricalData, HistoricalDataEvent, HistoricalHypnogramData,
    HistoricalHypnogramEvent, HistoricalSleepCycleData, HistoricalSleepCycleEvent, LabOrderEvent, LabOrderState,
    LabReportStatus, LabResultEvent, LabResultState, Order, OrderEvent, Provider, ProviderConnection,
    ProviderConnectionCreatedEvent, ProviderConnectionErrorEvent, ProviderConnectionFailure, ResourceName,
    SourceContext,
};

use super::values::{hypnogram, write_times};
use super::{Envelope, Payload, Pull, json_of};
use crate::orders::{ReportMetadata, collection_of};
use crate::{ArrivalSource, Completed, DataArrival, DataKind, ExactObject, IngestError, present};

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

/// Returns `created`, or `updated` if there were data of that day before.
fn verb(again: bool) -> &'static str {
    if again { "updated" } else { "created" }
}

/// Creates the event of new or changed data of a day.
///
/// # Errors
///
/// Returns an error if a value cannot be written.
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

/// Creates the event of deleted data, which `deleted` selects.
///
/// # Errors
///
/// Returns an error if it cannot be written.
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

/// Creates the deprecated form of the event of a sleep cycle, or that of a hypnogram.
///
/// # Errors
///
/// Returns an error if a value cannot be written.
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

/// Creates the event of the end of a historical pull.
///
/// # Errors
///
/// Returns an error if a value cannot be written.
pub fn historical(envelope: Envelope, mut pull: Pull) -> Result<Payload, IngestError> {
    if DataKind::of(&pull.resource) == DataKind::Summary {
        // Chunks of earlier versions were stored unchanged.
        pull.data.iter_mut().for_each(|value| present(&pull.resource, value));
    }
    let event_type = format!("historical.data.{}.created", pull.resource);
    let is_final = pull.is_final.then_some(true);
    if pull.resource == ResourceName::SleepCycle {
        let mut values = pull.data;
        // Chunks of earlier versions were stored unchanged.
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

/// Creates the deprecated form of the end of a historical pull of sleep cycles, or of hypnograms.
///
/// # Errors
///
/// Returns an error if a value cannot be written.
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

/// Creates the event of a new connection. `with_source` repeats the provider under its older name.
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

/// Creates the event of a connection that no longer works.
pub fn connection_failed(envelope: Envelope, provider: &str, error: &ConnectionError) -> Event {
    let data = ProviderConnectionFailure::builder()
        .user_id(envelope.user_id)
        .provider(provider)
        .error_details(error.clone())
        .build();
    let event = ProviderConnectionErrorEvent::builder()
        .event_type("provider.connection.error")
        .client_user_id(envelope.client_user_id)
        .team_id(envelope.team_id)
        .event_id(envelope.event_id)
        .data(data)
        .build();
    Event::ProviderConnectionError(event)
}

/// Creates the event of a new order.
pub fn order_created(envelope: Envelope, order: &Order) -> Event {
    let data = order_state(order);
    Event::LabtestOrderCreated(event!(LabOrderEvent, envelope, "labtest.order.created", data))
}

/// Creates the event of a changed order.
pub fn order_updated(envelope: Envelope, order: &Order) -> Event {
    let data = order_state(order);
    Event::LabtestOrderUpdated(event!(LabOrderEvent, envelope, "labtest.order.updated", data))
}

/// Creates the event of results of an order, new or corrected ones.
pub fn result_created(envelope: Envelope, order_id: Uuid, metadata: &ReportMetadata) -> Event {
    let data = LabResultState::builder()
        .order_id(order_id)
        .user_id(envelope.user_id)
        .status(metadata.status.clone().unwrap_or(LabReportStatus::Final))
        .date_reported(metadata.date_reported)
        .build();
    Event::LabtestResultCreated(event!(LabResultEvent, envelope, "labtest.result.created", data))
}

/// Returns an order without its patient.
fn order_state(order: &Order) -> LabOrderState {
    LabOrderState::builder()
        .id(order.id)
        .user_id(order.user_id)
        .team_id(order.team_id)
        .lab_test(order.lab_test.clone())
        .details(collection_of(order))
        .maybe_sample_id(order.sample_id.clone())
        .created_at(order.created_at)
        .updated_at(order.updated_at)
        .events(order.events.iter().map(plain).collect())
        .status(order.status.clone())
        .last_event(plain(&order.last_event))
        .build()
}

/// Returns a step without the lab's detail, which may be about the patient.
fn plain(event: &OrderEvent) -> OrderEvent {
    let mut plain = event.clone();
    plain.status_detail = None;
    plain
}

/// Returns the source of daily data. A kind of source that the arrival does not name is `unknown`. `details` adds the
/// provider's details, in their deprecated form.
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
