//! Webhooks: variants of the one type over all events.
//!
//! No trait has them, but implementers who send events make their payloads.

use super::change::Place;
use super::pairs::pairs;
use super::sides::Sides;
use super::{Change, Impact, Kind, deprecation, words};
use crate::document::Webhook;

pub(super) fn compare(sides: &Sides<'_>) -> Vec<Change> {
    let same_type = |a: &Webhook, b: &Webhook| a.event_type == b.event_type;
    let same_id = |a: &Webhook, b: &Webhook| a.id == b.id;
    pairs(&sides.old.webhooks, &sides.new.webhooks, &[&same_type, &same_id])
        .into_iter()
        .flat_map(|pair| match pair {
            (None, Some(new)) => vec![added(sides, new)],
            (Some(old), None) => vec![place(old).change(Kind::EventRemoved, "the event is gone").breaks_both()],
            (Some(old), Some(new)) => both(sides, old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn place(webhook: &Webhook) -> Place {
    Place::new(
        format!("event {}", webhook.event_type),
        &[&webhook.event_type, &webhook.id],
    )
}

/// `Event` is `#[non_exhaustive]`, and what it does not know is `Unknown`; unless a family knew it.
fn added(sides: &Sides<'_>, new: &Webhook) -> Change {
    let change = place(new).change(Kind::EventAdded, "the event is new");
    let family = sides
        .old
        .webhooks
        .iter()
        .find(|old| covers(&old.event_type, &new.event_type));
    match family {
        Some(family) => change
            .impacts(Impact::Breaking, Impact::Additive)
            .note(format!("it was read as {} before", family.event_type)),
        None => change.impacts(Impact::Additive, Impact::Additive),
    }
}

/// Whether a family has an event type, as the models tell.
fn covers(family: &str, event_type: &str) -> bool {
    let (family, own) = (family.split('.'), event_type.split('.'));
    family.clone().count() == own.clone().count()
        && family
            .zip(own)
            .all(|(family, own)| family == own || family.starts_with('{'))
}

fn both(sides: &Sides<'_>, old: &Webhook, new: &Webhook) -> Vec<Change> {
    let place = place(new);
    let mut changes = Vec::new();
    if old.event_type != new.event_type {
        let what = format!("the event type was {}", old.event_type);
        changes.push(place.change(Kind::EventType, what).breaks_both());
    }
    if old.id != new.id {
        let what = format!("the operationId is {}, was {}", new.id, old.id);
        let change = place.change(Kind::EventRenamed, what).breaks_both();
        changes.push(change.note("the variant of `Event` has another name"));
    }
    if sides.name(&old.payload) != new.payload {
        let what = format!("the payload is {}, was {}", new.payload, old.payload);
        changes.push(place.change(Kind::EventPayload, what).breaks_both());
    }
    changes.extend(deprecation::compare(&place, "it", &old.docs, &new.docs));
    let (before, after) = (
        &sides.old_json["webhooks"][&old.event_type],
        &sides.new_json["webhooks"][&new.event_type],
    );
    changes.extend(words::compare(&place, sides, Some(before), Some(after)));
    changes
}
