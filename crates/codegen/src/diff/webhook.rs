//! Webhooks: variants of the one type over all events.
//!
//! They are not part of a trait, but implementers who send events construct their payloads.

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::{Change, Impact, Kind, deprecation, documentation};
use crate::document::Webhook;

pub(super) fn compare(context: &Context<'_>) -> Vec<Change> {
    let same_type = |a: &Webhook, b: &Webhook| a.event_type == b.event_type;
    let same_id = |a: &Webhook, b: &Webhook| a.id == b.id;
    pairs(&context.old.webhooks, &context.new.webhooks, &[&same_type, &same_id])
        .into_iter()
        .flat_map(|pair| match pair {
            (None, Some(new)) => vec![added(context, new)],
            (Some(old), None) => vec![
                element(old)
                    .change(Kind::EventRemoved, "the event is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(context, old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn element(webhook: &Webhook) -> Element {
    Element::new(
        format!("event {}", webhook.event_type),
        &[&webhook.event_type, &webhook.id],
    )
}

/// `Event` is `#[non_exhaustive]`, and an unknown event is `Unknown`, unless a family covered it.
fn added(context: &Context<'_>, new: &Webhook) -> Change {
    let change = element(new).change(Kind::EventAdded, "the event is new");
    let family = context
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

/// Returns whether a family covers an event type, as in the models.
fn covers(family: &str, event_type: &str) -> bool {
    let (family, own) = (family.split('.'), event_type.split('.'));
    family.clone().count() == own.clone().count()
        && family
            .zip(own)
            .all(|(family, own)| family == own || family.starts_with('{'))
}

fn both(context: &Context<'_>, old: &Webhook, new: &Webhook) -> Vec<Change> {
    let element = element(new);
    let mut changes = Vec::new();
    if old.event_type != new.event_type {
        let what = format!("the event type was {}", old.event_type);
        changes.push(element.change(Kind::EventType, what).breaks_both());
    }
    if old.id != new.id {
        let what = format!("the operationId is {}, was {}", new.id, old.id);
        let change = element.change(Kind::EventRenamed, what).breaks_both();
        changes.push(change.note("the variant of `Event` has another name"));
    }
    if context.name(&old.payload) != new.payload {
        let what = format!("the payload is {}, was {}", new.payload, old.payload);
        changes.push(element.change(Kind::EventPayload, what).breaks_both());
    }
    changes.extend(deprecation::compare(&element, "it", &old.docs, &new.docs));
    let (before, after) = (
        &context.old_json["webhooks"][&old.event_type],
        &context.new_json["webhooks"][&new.event_type],
    );
    changes.extend(documentation::compare(&element, context, Some(before), Some(after)));
    changes
}
