//! Values of enums, which are `#[non_exhaustive]`.

use super::change::Element;
use super::context::Context;
use super::{Change, Impact, Kind};
use crate::document::{Schema, SchemaKind};

pub(super) fn compare(
    element: &Element,
    context: &Context<'_>,
    schema: &Schema,
    old: &[String],
    new: &[String],
) -> Vec<Change> {
    let added = new.iter().filter(|value| !old.contains(value));
    let removed = old.iter().filter(|value| !new.contains(value));
    let mut changes: Vec<_> = added
        .map(|value| self::added(element, context, schema, value))
        .collect();
    changes.extend(removed.map(|value| {
        let what = format!("the value {value} is gone");
        element.change(Kind::ValueRemoved, what).breaks_both()
    }));
    let before = old.iter().filter(|value| new.contains(value));
    if before.ne(new.iter().filter(|value| old.contains(value))) {
        // `Ord` of the enum follows the document's order.
        let what = "the order of its values changed";
        let change = element.change(Kind::ValuesReordered, what).breaks_both();
        changes.push(change.note("their order changes"));
    }
    changes
}

fn added(element: &Element, context: &Context<'_>, schema: &Schema, value: &str) -> Change {
    let closed = matches!(schema.kind, SchemaKind::ClosedEnum(_));
    let change = element.change(Kind::ValueAdded, format!("the value {value} is new"));
    if closed && context.reachability.is_read(&schema.name) {
        let note = "the enum is closed: older clients cannot read a response that contains it";
        return change.impacts(Impact::Breaking, Impact::Additive).note(note);
    }
    let change = change.impacts(Impact::Additive, Impact::Additive);
    if context.reachability.is_taken(&schema.name) {
        change.note("implementers receive it in requests")
    } else {
        change
    }
}
