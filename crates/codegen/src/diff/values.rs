//! Values of enums, which are `#[non_exhaustive]`.

use super::change::Place;
use super::sides::Sides;
use super::{Change, Impact, Kind};
use crate::document::{Schema, SchemaKind};

pub(super) fn compare(
    place: &Place,
    sides: &Sides<'_>,
    schema: &Schema,
    old: &[String],
    new: &[String],
) -> Vec<Change> {
    let added = new.iter().filter(|value| !old.contains(value));
    let removed = old.iter().filter(|value| !new.contains(value));
    let mut changes: Vec<_> = added.map(|value| self::added(place, sides, schema, value)).collect();
    changes.extend(removed.map(|value| {
        let what = format!("the value {value} is gone");
        place.change(Kind::ValueRemoved, what).breaks_both()
    }));
    let before = old.iter().filter(|value| new.contains(value));
    if before.ne(new.iter().filter(|value| old.contains(value))) {
        // The types are ordered as the document orders their values.
        let what = "its values stand in another order";
        let change = place.change(Kind::ValuesReordered, what).breaks_both();
        changes.push(change.note("they sort otherwise"));
    }
    changes
}

fn added(place: &Place, sides: &Sides<'_>, schema: &Schema, value: &str) -> Change {
    let closed = matches!(schema.kind, SchemaKind::ClosedEnum(_));
    let change = place.change(Kind::ValueAdded, format!("the value {value} is new"));
    if closed && sides.reach.is_read(&schema.name) {
        let note = "the enum is closed: older clients cannot read an answer that has it";
        return change.impacts(Impact::Breaking, Impact::Additive).note(note);
    }
    let change = change.impacts(Impact::Additive, Impact::Additive);
    if sides.reach.is_taken(&schema.name) {
        change.note("implementers are asked with it")
    } else {
        change
    }
}
