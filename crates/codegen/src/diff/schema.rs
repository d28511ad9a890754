//! Named schemas: the types of the models.

use serde_json::Value;

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::types::describe;
use super::{Change, Impact, Kind, attributes, deprecation, documentation, limits, property, union, values};
use crate::document::{Members, Property, Schema, SchemaKind};

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
            changes.extend(limits::object(&element, element.direction, old, new));
        }
        (SchemaKind::OpenEnum(before), SchemaKind::OpenEnum(after)) => {
            changes.extend(values::compare(&element, context, new, before, after));
        }
        (SchemaKind::ClosedEnum(before), SchemaKind::ClosedEnum(after)) => {
            changes.extend(values::compare(&element, context, new, before, after));
        }
        (SchemaKind::IntegerEnum(before), SchemaKind::IntegerEnum(after)) => {
            let texts = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>();
            changes.extend(values::compare(&element, context, new, &texts(before), &texts(after)));
        }
        (SchemaKind::Union(before), SchemaKind::Union(after)) => {
            changes.extend(union::compare(&element, context, before, after));
        }
        (SchemaKind::Alias(before), SchemaKind::Alias(after)) => {
            if context.old_type(before) != context.new_type(after) {
                let what = format!("it is {}, was {}", describe(after), describe(before));
                changes.push(element.change(Kind::SchemaType, what).breaks_both());
            } else if before != after {
                // Users of the schema have them.
                changes.push(element.change(Kind::Documentation, "it has other limits"));
            }
        }
        // Open and closed enums have different methods, and only one of them has `Other`.
        (before, after) => {
            let what = format!("it is {}, was {}", kind(after), kind(before));
            changes.push(element.change(Kind::SchemaKind, what).breaks_both());
        }
    }
    changes.extend(variants(&element, old, new));
    changes.extend(attributes::compare(&element, old, new));
    changes.extend(deprecation::compare(&element, "the type", &old.docs, &new.docs));
    changes.extend(documentation::compare(
        &element,
        context,
        Some(&old.value),
        Some(&new.value),
    ));
    if changes.is_empty()
        && context.old_json["components"]["schemas"][&old.name] != context.new_json["components"]["schemas"][&new.name]
    {
        changes.push(element.change(Kind::Documentation, "the schema is written differently"));
    }
    changes
}

/// Values of an enum whose variants have other names.
fn variants(element: &Element, old: &Schema, new: &Schema) -> Vec<Change> {
    let values = |schema: &Schema| match &schema.kind {
        SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values) => values
            .iter()
            .map(|value| (value.clone(), schema.variant(value)))
            .collect(),
        SchemaKind::IntegerEnum(values) => values
            .iter()
            .map(|value| (value.to_string(), schema.integer_variant(*value)))
            .collect(),
        _ => Vec::new(),
    };
    let (before, after) = (values(old), values(new));
    let same = |value: &str| after.iter().find(|(known, _)| known == value);
    let renamed = before.into_iter().filter_map(|(value, was)| {
        let (_, now) = same(&value).filter(|(_, now)| *now != was)?;
        let what = format!("the value {value} is `{now}` in Rust, was `{was}`");
        Some(element.change(Kind::RustName, what).breaks_both())
    });
    renamed.collect()
}

fn kind(kind: &SchemaKind) -> &'static str {
    match kind {
        SchemaKind::Object { .. } => "an object",
        SchemaKind::OpenEnum(_) => "an open enum",
        SchemaKind::ClosedEnum(_) => "a closed enum",
        SchemaKind::IntegerEnum(_) => "an enum of integers",
        SchemaKind::Union(_) => "one of several types",
        SchemaKind::Alias(_) => "another name of a type",
    }
}

fn object(schema: &Schema) -> (&[Property], &Members) {
    match &schema.kind {
        SchemaKind::Object { properties, members } => (properties, members),
        _ => (&[], &Members::Ignored),
    }
}

fn fields(element: &Element, context: &Context<'_>, old: &Schema, new: &Schema) -> Vec<Change> {
    let ((before, old_members), (after, members)) = (object(old), object(new));
    let (was_open, open) = (old_members.are_kept(), members.are_kept());
    let mut changes = Vec::new();
    let (was_typed, typed) = (context.old_members(old_members), context.new_members(members));
    if open && was_open && was_typed != typed {
        let what = "undeclared members are of another type";
        changes.push(element.change(Kind::SchemaOpenness, what).breaks_both());
    }
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
