//! Named schemas: the types of the models.

use serde_json::Value;

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::{Change, Impact, Kind, deprecation, documentation, property, values};
use crate::document::{Property, Schema, SchemaKind};

pub(super) fn compare(context: &Context<'_>) -> Vec<Change> {
    let same = |a: &Schema, b: &Schema| a.name == b.name;
    let heir = |a: &Schema, b: &Schema| context.name(&a.name) == b.name;
    pairs(&context.old.schemas, &context.new.schemas, &[&same, &heir])
        .into_iter()
        .flat_map(|pair| match pair {
            (None, Some(new)) => vec![
                context
                    .schema(&new.name)
                    .change(Kind::SchemaAdded, "the schema is new")
                    .impacts(Impact::Additive, Impact::Additive),
            ],
            (Some(old), None) => vec![
                Element::new(old.name.as_str(), &[&old.name])
                    .change(Kind::SchemaRemoved, "the schema is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(context, old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn both(context: &Context<'_>, old: &Schema, new: &Schema) -> Vec<Change> {
    let element = context.schema(&new.name);
    let mut changes = Vec::new();
    if old.name != new.name {
        let what = format!("the schema was named {}", old.name);
        changes.push(element.change(Kind::SchemaRenamed, what).breaks_both());
    }
    if old.tag != new.tag {
        let what = format!("the tag is {}, was {}", new.tag, old.tag);
        let change = element.change(Kind::SchemaTag, what).breaks_both();
        changes.push(change.note("its type is in another module"));
    }
    match (&old.kind, &new.kind) {
        (SchemaKind::Object { .. }, SchemaKind::Object { .. }) => {
            changes.extend(fields(&element, context, old, new));
        }
        (SchemaKind::OpenEnum(before), SchemaKind::OpenEnum(after)) => {
            changes.extend(values::compare(&element, context, new, before, after));
        }
        (SchemaKind::ClosedEnum(before), SchemaKind::ClosedEnum(after)) => {
            changes.extend(values::compare(&element, context, new, before, after));
        }
        // Open and closed enums have different methods, and only one of them has `Other`.
        (before, after) => {
            let what = format!("it is {}, was {}", kind(after), kind(before));
            changes.push(element.change(Kind::SchemaKind, what).breaks_both());
        }
    }
    changes.extend(deprecation::compare(&element, "the type", &old.docs, &new.docs));
    changes.extend(documentation::compare(
        &element,
        context,
        Some(&old.value),
        Some(&new.value),
    ));
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

fn fields(element: &Element, context: &Context<'_>, old: &Schema, new: &Schema) -> Vec<Change> {
    let ((before, was_open), (after, open)) = (object(old), object(new));
    let mut changes = Vec::new();
    if open != was_open {
        let change = element.change(
            Kind::SchemaOpenness,
            if open {
                "undeclared members are now kept, in `extra`"
            } else {
                "undeclared members are no longer kept"
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
        let element = field(element, name);
        match pair {
            (None, Some(property)) => changes.push(property::added(&element, property, was_open)),
            (Some(property), None) => changes.push(property::removed(&element, property)),
            (Some(a), Some(b)) => {
                changes.extend(property::both(
                    &element,
                    context,
                    (a, &value(old, a)),
                    (b, &value(new, b)),
                ));
            }
            (None, None) => {}
        }
    }
    changes
}

/// A field may also be named with its schema.
fn field(element: &Element, name: &str) -> Element {
    Element {
        text: element.text.clone(),
        names: element
            .names
            .iter()
            .cloned()
            .chain([format!("{}.{name}", element.text)])
            .collect(),
        users: element.users.clone(),
        direction: element.direction,
    }
}
