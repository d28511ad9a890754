//! Attributes of the values of enums.

use super::change::Element;
use super::{Change, Impact, Kind};
use crate::document::{Attribute, Schema, SchemaKind};

pub(super) fn compare(element: &Element, old: &Schema, new: &Schema) -> Vec<Change> {
    let mut changes = Vec::new();
    for was in &old.attributes {
        let name = &was.name;
        match new.attributes.iter().find(|now| now.name == *name) {
            Some(now) => changes.extend(both(element, old, new, was, now)),
            None => {
                let what = format!("the attribute {name} is gone");
                changes.push(element.change(Kind::ValueAttribute, what).breaks_both());
            }
        }
    }
    let is_new = |now: &&Attribute| old.attributes.iter().all(|was| was.name != now.name);
    changes.extend(new.attributes.iter().filter(is_new).map(|now| {
        let what = format!("the attribute {} is new", now.name);
        let change = element.change(Kind::ValueAttribute, what);
        change.impacts(Impact::Additive, Impact::Additive)
    }));
    changes
}

/// The changes of one attribute, at values that both enums have.
fn both(element: &Element, old: &Schema, new: &Schema, was: &Attribute, now: &Attribute) -> Vec<Change> {
    let name = &was.name;
    let type_of = |attribute: &Attribute| attribute.values.first().map(|(value, _)| std::mem::discriminant(value));
    if type_of(was) != type_of(now) {
        let what = format!("the attribute {name} has another type");
        return vec![element.change(Kind::ValueAttribute, what).breaks_both()];
    }
    let mut changes = Vec::new();
    let kept = values(old).iter().filter(|value| values(new).contains(value));
    for value in kept.filter(|value| was.of(value) != now.of(value)) {
        let what = format!("the attribute {name} of {value} changed");
        changes.push(element.change(Kind::ValueAttribute, what).breaks_both());
    }
    if was.description != now.description {
        let what = format!("documentation changed: the attribute {name}");
        changes.push(element.change(Kind::Documentation, what));
    }
    changes
}

fn values(schema: &Schema) -> &[String] {
    match &schema.kind {
        SchemaKind::OpenEnum(values) | SchemaKind::ClosedEnum(values) => values,
        _ => &[],
    }
}
