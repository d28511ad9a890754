//! Steps of orders: applies the rules of [`wearlab_labs`] to orders of the API.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use wearlab_labs::status::{Change, CollectionMethod, Entry, History, OrderStatus, Step};
use wearlab_models::{Order, OrderEvent};

use super::{LabOrderUpdated, ReportMetadata};

/// Report of a step of an order.
pub struct StepReport<'a> {
    step: Result<Step, String>,
    created_at: DateTime<FixedOffset>,
    status_detail: Option<&'a str>,
    sample_id: Option<&'a str>,
    notes: Option<&'a str>,
}

impl StepReport<'_> {
    /// Creates the report of a step at a time, without further data.
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

/// Effect of a report on an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// No change: all of it was reported before.
    Unchanged,
    /// New step, or a correction of the order.
    Changed,
}

impl Advance {
    /// Returns whether the order has changed.
    pub fn is_changed(self) -> bool {
        self == Self::Changed
    }
}

/// Maximum steps of an order. A walk has a few, and each read of the order returns all of them.
const MAX_STEPS: usize = 500;

/// Adds a step to an order, or corrects an existing one.
///
/// Reports of a walk give the same steps, in whatever order they come. Ids number the steps as they were first
/// reported.
///
/// # Errors
///
/// Returns an error if the order cannot have taken that step then, with the allowed ones, or if it has too many steps.
/// The order is left unchanged.
pub fn advance<'a>(order: &mut Order, report: &StepReport<'a>, now: DateTime<Utc>) -> Result<Advance, String> {
    let step = report.step.clone()?;
    let mut history = history(order)?;
    let known = |entry: &&Entry<OrderEvent>| entry.step == step && entry.created_at == report.created_at.to_utc();
    let known = history.entries().iter().find(known).map(|entry| &entry.detail);
    if known.is_none() && history.entries().len() >= MAX_STEPS {
        return Err(format!("an order has at most {MAX_STEPS} steps"));
    }
    let ids = history.entries().iter().map(|entry| entry.detail.id);
    let next = ids.max().unwrap_or_default().saturating_add(1);
    // Values that a correction omits stay.
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
    // Values of an earlier step are only used if the later ones omit them.
    let is_last = inserted.index + 1 == history.entries().len();
    let news = |said: Option<&'a str>, known: &Option<String>| {
        said.filter(|said| (is_last || known.is_none()) && known.as_deref() != Some(*said))
    };
    let sample_id = news(report.sample_id, &order.sample_id).map(str::to_owned);
    let notes = news(report.notes, &order.notes).map(str::to_owned);
    let is_corrected = inserted.change == Change::Corrected;
    if is_corrected && is_same_event && sample_id.is_none() && notes.is_none() {
        return Ok(Advance::Unchanged);
    }
    if let Some(status) = history.status() {
        order.status = status.as_str().into();
    }
    order.events = history.into_entries().into_iter().map(|entry| entry.detail).collect();
    if let Some(last) = order.events.last() {
        order.last_event = last.clone();
    }
    order.sample_id = sample_id.or_else(|| order.sample_id.take());
    order.notes = notes.or_else(|| order.notes.take());
    order.updated_at = now.fixed_offset();
    Ok(Advance::Changed)
}

/// Maximum lead of a lab's clock: a time of another zone that is treated as UTC is within it.
const AHEAD: TimeDelta = TimeDelta::days(1);

/// Returns whether a time is so far ahead that it is a mistake: later steps could not be added.
pub fn is_ahead(time: DateTime<FixedOffset>, now: DateTime<Utc>) -> bool {
    time.to_utc() > now + AHEAD
}

/// Advances an order to the step of its results, at the time of the report, or right after its last step if that is
/// later. An order that has this step is unchanged.
///
/// # Errors
///
/// Returns an error if the order accepts no results, because it was cancelled or has failed.
pub fn advance_by_results(order: &mut Order, metadata: &ReportMetadata, now: DateTime<Utc>) -> Result<Advance, String> {
    let method = method(order)?;
    let last = history(order)?.last_step();
    let is_completed = last.is_some_and(|last| last.status() == OrderStatus::Completed);
    if let Some(last) = last.filter(|last| last.is_final() && !is_completed) {
        return Err(format!("the order takes no results at `{last}`, which is final"));
    }
    let is_partial = metadata.is_partial();
    if is_completed && !is_partial {
        return Ok(Advance::Unchanged);
    }
    let step = Step::of_results(method, is_partial);
    let last_at = order.last_event.created_at;
    let times = [metadata.date_reported, metadata.date_reported.max(last_at)];
    // An earlier partial report has its step, or can no longer have one.
    let times = if is_completed { &times[..1] } else { &times[..] };
    for time in times {
        if let Ok(advance) = advance(order, &StepReport::at(step, *time), now) {
            return Ok(advance);
        }
    }
    Ok(Advance::Unchanged)
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
