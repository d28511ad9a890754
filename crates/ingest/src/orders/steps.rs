//! The steps of orders: the rules are those of [`wearlab_labs`], applied to orders as the interface has them.

use chrono::{DateTime, FixedOffset, Utc};
use wearlab_labs::status::{Change, CollectionMethod, Entry, History, Step};
use wearlab_models::{Order, OrderEvent};

use super::{LabOrderUpdated, ReportMetadata};

/// A step that an order is said to have gone.
pub struct StepReport<'a> {
    step: Result<Step, String>,
    created_at: DateTime<FixedOffset>,
    status_detail: Option<&'a str>,
    sample_id: Option<&'a str>,
    notes: Option<&'a str>,
}

impl StepReport<'_> {
    /// That of a step at a time, of which nothing else is known.
    pub fn at(step: Step, created_at: DateTime<FixedOffset>) -> Self {
        Self {
            step: Ok(step),
            created_at,
            status_detail: None,
            sample_id: None,
            notes: None,
        }
    }
}

impl<'a> From<&'a LabOrderUpdated> for StepReport<'a> {
    fn from(arrival: &'a LabOrderUpdated) -> Self {
        Self {
            step: arrival.status.parse::<Step>().map_err(|error| error.to_string()),
            created_at: arrival.created_at,
            status_detail: arrival.status_detail.as_deref(),
            sample_id: arrival.sample_id.as_deref(),
            notes: arrival.notes.as_deref(),
        }
    }
}

/// What a report did to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Nothing: all of it was known.
    Known,
    /// The order has another step, or something of it was corrected.
    Changed,
}

impl Advance {
    /// Whether the order is another one.
    pub fn is_news(self) -> bool {
        self == Self::Changed
    }
}

/// Has an order go a step, or corrects what is known of one.
///
/// # Errors
///
/// Why the order cannot have gone that step then, and which ones it could have. The order stays as it was.
pub fn advance(order: &mut Order, report: &StepReport<'_>, now: DateTime<Utc>) -> Result<Advance, String> {
    let step = report.step.clone()?;
    let mut history = history(order)?;
    let known = |entry: &&Entry<OrderEvent>| entry.step == step && entry.created_at == report.created_at.to_utc();
    let known = history.entries().iter().find(known).map(|entry| &entry.detail);
    let ids = history.entries().iter().map(|entry| entry.detail.id);
    let next = ids.max().unwrap_or_default() + 1;
    // What a correction does not say stays.
    let detail = report.status_detail.map(str::to_owned);
    let detail = detail.or_else(|| known.and_then(|event| event.status_detail.clone()));
    let event = OrderEvent::builder()
        .id(known.map_or(next, |event| event.id))
        .created_at(report.created_at)
        .status(step.to_string())
        .maybe_status_detail(detail)
        .build();
    let is_same_event = known.is_some_and(|known| known.status_detail == event.status_detail);
    let entry = Entry {
        created_at: report.created_at.to_utc(),
        step,
        detail: event,
    };
    let inserted = history.insert(entry).map_err(|refusal| refusal.to_string())?;
    let is_known = |said: Option<&str>, known: &Option<String>| said.is_none_or(|said| known.as_deref() == Some(said));
    let is_same = inserted.change == Change::Corrected
        && is_same_event
        && is_known(report.sample_id, &order.sample_id)
        && is_known(report.notes, &order.notes);
    if is_same {
        return Ok(Advance::Known);
    }
    if let Some(status) = history.status() {
        order.status = status.as_str().into();
    }
    order.events = history.into_entries().into_iter().map(|entry| entry.detail).collect();
    if let Some(last) = order.events.last() {
        order.last_event = last.clone();
    }
    if let Some(sample_id) = report.sample_id {
        order.sample_id = Some(sample_id.to_owned());
    }
    if let Some(notes) = report.notes {
        order.notes = Some(notes.to_owned());
    }
    order.updated_at = now.fixed_offset();
    Ok(Advance::Changed)
}

/// The step that an order goes by results: where they are, when they were reported. None if it is completed already, by a
/// report that is not later.
///
/// # Errors
///
/// Where the order is of a method that is unknown.
pub fn step_of_report(order: &Order, metadata: &ReportMetadata) -> Result<Option<StepReport<'static>>, String> {
    let method = method(order)?;
    let is_partial = metadata.is_partial();
    let completed = Step::of_results(method, false).to_string();
    let last = &order.last_event;
    let is_done = last.status == completed && (!is_partial || metadata.date_reported >= last.created_at);
    let step = Step::of_results(method, is_partial);
    Ok((!is_done).then(|| StepReport::at(step, metadata.date_reported)))
}

fn method(order: &Order) -> Result<CollectionMethod, String> {
    let method = CollectionMethod::from_name(order.details.type_.as_str());
    method.ok_or_else(|| "the order has a collection method that is unknown here".to_owned())
}

fn history(order: &Order) -> Result<History<OrderEvent>, String> {
    let entries = order.events.iter().map(|event| {
        let step = event.status.parse::<Step>();
        Ok(Entry {
            created_at: event.created_at.to_utc(),
            step: step.map_err(|error| format!("the order has a step that is unknown here: {error}"))?,
            detail: event.clone(),
        })
    });
    Ok(History::restore(
        method(order)?,
        entries.collect::<Result<Vec<_>, String>>()?,
    ))
}
