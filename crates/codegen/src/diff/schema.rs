//! Named schemas: the types of the models.

use serde_json::Value;

use super::change::Place;
use super::pairs::pairs;
use super::sides::Sides;
use super::{Change, Impact, Kind, deprecation, property, values, words};
use crate::document::{Property, Schema, SchemaKind};

pub(super) fn compare(sides: &Sides<'_>) -> Vec<Change> {
    let same = |a: &Schema, b: &Schema| a.name == b.name;
    let heir = |a: &Schema, b: &Schema| sides.name(&a.name) == b.name;
    pairs(&sides.old.schemas, &sides.new.schemas, &[&same, &heir])
        .into_iter()
        .flat_map(|pair| match pair {
            (None, Some(new)) => vec![
                sides
                    .schema(&new.name)
                    .change(Kind::SchemaAdded, "the schema is new")
                    .impacts(Impact::Additive, Impact::Additive),
            ],
            (Some(old), None) => vec![
                Place::new(old.name.as_str(), &[&old.name])
                    .change(Kind::SchemaRemoved, "the schema is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(sides, old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn both(sides: &Sides<'_>, old: &Schema, new: &Schema) -> Vec<Change> {
    let place = sides.schema(&new.name);
    let mut changes = Vec::new();
    if old.name != new.name {
        let what = format!("the schema was named {}", old.name);
        changes.push(place.change(Kind::SchemaRenamed, what).breaks_both());
    }
    if old.area != new.area {
        let what = format!("it is in the area {}, was in {}", new.area, old.area);
        let change = place.change(Kind::SchemaArea, what).breaks_both();
        changes.push(change.note("its type is in another module"));
    }
    match (&old.kind, &new.kind) {
        (SchemaKind::Object { .. }, SchemaKind::Object { .. }) => {
            changes.extend(fields(&place, sides, old, new));
        }
        (SchemaKind::OpenEnum(before), SchemaKind::OpenEnum(after)) => {
            changes.extend(values::compare(&place, sides, new, before, after));
        }
        (SchemaKind::ClosedEnum(before), SchemaKind::ClosedEnum(after)) => {
            changes.extend(values::compare(&place, sides, new, before, after));
        }
        // Open and closed enums have different methods, and only one of them has `Other`.
        (before, after) => {
            let what = format!("it is {}, was {}", kind(after), kind(before));
            changes.push(place.change(Kind::SchemaKind, what).breaks_both());
        }
    }
    changes.extend(deprecation::compare(&place, "the type", &old.docs, &new.docs));
    changes.extend(words::compare(&place, sides, Some(&old.value), Some(&new.value)));
    changes
}

fn kind(kind: &SchemaKind) -> &'static str {
    match kind {
        SchemaKind::Object { .. } => "an object",
        SchemaKind::OpenEnum(_) => "an open enum",
        SchemaKind::ClosedEnum(_) => "a closed enum",
    }
}

fn object(schema: &Schema) -> (&[Property], bool) {
    match &schema.kind {
        SchemaKind::Object { properties, open } => (properties, *open),
        _ => (&[], false),
    }
}

fn fields(place: &Place, sides: &Sides<'_>, old: &Schema, new: &Schema) -> Vec<Change> {
    let ((before, was_open), (after, open)) = (object(old), object(new));
    let mut changes = Vec::new();
    if open != was_open {
        let change = place.change(
            Kind::SchemaOpenness,
            if open {
                "members without a name are kept now, in `extra`"
            } else {
                "members without a name are kept no longer"
            },
        );
        changes.push(if open {
            change.impacts(Impact::Additive, Impact::Additive)
        } else {
            change.breaks_both().note("`extra` is gone")
        });
    }
    let value = |schema: &Schema, property: &Property| -> Value { schema.value["properties"][&property.name].clone() };
    let same = |a: &Property, b: &Property| a.name == b.name;
    for pair in pairs(before, after, &[&same]) {
        let name = pair.1.or(pair.0).map_or("", |property| property.name.as_str());
        let place = field(place, name);
        match pair {
            (None, Some(property)) => changes.push(property::added(&place, property, was_open)),
            (Some(property), None) => changes.push(property::removed(&place, property)),
            (Some(a), Some(b)) => {
                changes.extend(property::both(&place, sides, (a, &value(old, a)), (b, &value(new, b))));
            }
            (None, None) => {}
        }
    }
    changes
}

/// A field may also be named together with its schema.
fn field(place: &Place, name: &str) -> Place {
    Place {
        text: place.text.clone(),
        names: place
            .names
            .iter()
            .cloned()
            .chain([format!("{}.{name}", place.text)])
            .collect(),
        carriers: place.carriers.clone(),
    }
}
