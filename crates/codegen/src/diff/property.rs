//! Fields of objects, which readers get and implementers set: there are no objects in requests.

use serde_json::Value;

use super::change::Place;
use super::parameter::value_text;
use super::sides::Sides;
use super::types::{describe, is_nullable, without_null};
use super::{Change, Impact, Kind, deprecation};
use crate::document::{Property, Type};

/// A property and the schema that it is read from.
pub(super) type Field<'a> = (&'a Property, &'a Value);

/// Whether the field is an `Option`. Lists, maps and open objects that may be absent are empty instead.
fn is_option(property: &Property) -> bool {
    let container = matches!(property.ty, Type::Array(_) | Type::Map(_) | Type::Open);
    property.default.is_none() && (is_nullable(&property.ty) || !property.required && !container)
}

/// Whether the builder insists on it.
fn is_needed(property: &Property) -> bool {
    property.required && !is_option(property)
}

/// The structs are `#[non_exhaustive]`: what readers do not know of does not touch them.
pub(super) fn added(place: &Place, new: &Property, open: bool) -> Change {
    let needed = is_needed(new);
    let required = if new.required { "required" } else { "optional" };
    let server = if needed { Impact::Breaking } else { Impact::Additive };
    let what = format!("the field {} is new and {required}", new.name);
    let change = place.change(Kind::FieldAdded, what).impacts(Impact::Additive, server);
    match (open, needed) {
        (true, _) => change.note("where it came before, it was in `extra`"),
        (false, true) => change.note("the builder insists on it"),
        _ => change,
    }
}

pub(super) fn removed(place: &Place, old: &Property) -> Change {
    let what = format!("the field {} is gone", old.name);
    place.change(Kind::FieldRemoved, what).breaks_both()
}

pub(super) fn both(place: &Place, sides: &Sides<'_>, old: Field<'_>, new: Field<'_>) -> Vec<Change> {
    let subject = format!("the field {}", new.0.name);
    let mut changes = Vec::new();
    let (before, after) = (without_null(&old.0.ty), without_null(&new.0.ty));
    let keys = (
        keys(old.1, &|name| sides.name(name).to_owned()),
        keys(new.1, &str::to_owned),
    );
    if sides.old_type(before) != sides.new_type(after) {
        let what = format!("{subject} is of type {}, was {}", describe(after), describe(before));
        changes.push(place.change(Kind::FieldType, what).breaks_both());
    } else if keys.0 != keys.1 {
        let what = format!("{subject} is a map with other keys");
        changes.push(place.change(Kind::FieldType, what).breaks_both());
    } else if before != after && sides.old_type(before) == sides.old_type(after) {
        changes.push(place.change(
            Kind::Words,
            format!("{subject} has other bounds, which nothing enforces"),
        ));
    }
    changes.extend(presence(place, &subject, old.0, new.0));
    changes.extend(default(place, &subject, old.0, new.0));
    if old.0.sensitive != new.0.sensitive {
        let shown = if new.0.sensitive {
            "shows it no longer"
        } else {
            "shows it now"
        };
        changes.push(place.change(Kind::FieldSensitive, format!("{subject}: `Debug` {shown}")));
    }
    changes.extend(deprecation::compare(place, &subject, &old.0.docs, &new.0.docs));
    changes
}

/// How a field may be without a value.
fn absence(property: &Property) -> &'static str {
    match (property.required, is_nullable(&property.ty)) {
        (true, false) => "always has a value",
        (true, true) => "is always there, and may be null",
        (false, false) => "may be left out",
        (false, true) => "may be left out or null",
    }
}

fn presence(place: &Place, subject: &str, old: &Property, new: &Property) -> Option<Change> {
    let null = (is_nullable(&old.ty), is_nullable(&new.ty));
    if (old.required, null.0) == (new.required, null.1) {
        return None;
    }
    let what = format!("{subject} {}; before, it {}", absence(new), absence(old));
    let retyped = is_option(old) != is_option(new);
    if (old.required && !new.required) || (!null.0 && null.1) {
        // Older readers, also in Rust, meet nothing where they counted on something. A builder's setter takes the
        // value of an `Option` as it took the value before.
        let change = place
            .change(Kind::FieldOptional, what)
            .impacts(Impact::Breaking, Impact::Additive);
        return Some(if retyped {
            change.note("its Rust type changes")
        } else {
            change.note("its Rust type stays")
        });
    }
    let needed = is_needed(new) && !is_needed(old);
    let server = if needed { Impact::Breaking } else { Impact::None };
    let change = place.change(Kind::FieldRequired, what);
    Some(if retyped {
        change.impacts(Impact::Breaking, server).note("its Rust type changes")
    } else {
        change.impacts(Impact::Additive, server)
    })
}

fn default(place: &Place, subject: &str, old: &Property, new: &Property) -> Option<Change> {
    let what = match (&old.default, &new.default) {
        (Some(was), Some(now)) if was != now => {
            format!(
                "{subject} without a value means {}, was {}",
                value_text(now),
                value_text(was)
            )
        }
        (None, Some(now)) => format!("{subject} without a value means {} now", value_text(now)),
        (Some(was), None) => format!("{subject} without a value means {} no longer", value_text(was)),
        _ => return None,
    };
    // A field with a default is never an `Option`. Builders take a value, or none, for both.
    let retyped = is_option(old) != is_option(new);
    let changed = old.default.is_some() && new.default.is_some();
    let client = if retyped || changed {
        Impact::Breaking
    } else {
        Impact::Additive
    };
    let change = place.change(Kind::FieldDefault, what).impacts(client, Impact::None);
    Some(if retyped {
        change.note("its Rust type changes")
    } else {
        change
    })
}

/// What the keys of maps are, anywhere in a property: it decides their Rust type.
fn keys(value: &Value, name: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut found = Vec::new();
    for (key, member) in value.as_object().into_iter().flatten() {
        match key.as_str() {
            "propertyNames" => found.push(
                match member["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
                    Some(target) => name(target),
                    None => format!("{}{}", member["type"], member["format"]),
                },
            ),
            "items" | "additionalProperties" => found.extend(keys(member, name)),
            _ => {}
        }
    }
    found
}
