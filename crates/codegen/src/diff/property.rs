//! Fields of objects. Clients read those of responses and events, and write those of requests; implementers the other
//! way round.

use serde_json::Value;

use super::change::Element;
use super::context::Context;
use super::parameter::{aliases, value_text};
use super::types::{describe, is_nullable, without_null};
use super::{Change, Impact, Kind, deprecation, limits};
use crate::document::{Property, Type};

/// A property and the schema that it is read from.
pub(super) type Field<'a> = (&'a Property, &'a Value);

/// Returns whether the field is an `Option`. Optional lists, maps and open objects are empty instead.
fn is_option(property: &Property) -> bool {
    let container = matches!(property.ty, Type::Array(..) | Type::Map { .. } | Type::Open(_));
    property.default.is_none() && (is_nullable(&property.ty) || !property.required && !container)
}

/// Returns whether the builder requires it.
fn is_needed(property: &Property) -> bool {
    property.required && !is_option(property)
}

/// The structs are `#[non_exhaustive]`: an unknown field does not affect readers.
pub(super) fn added(element: &Element, new: &Property, open: bool) -> Change {
    let needed = is_needed(new);
    let required = if new.required { "required" } else { "optional" };
    let writer = if needed { Impact::Breaking } else { Impact::Additive };
    let what = format!("the field {} is new and {required}", new.name);
    let (client, server) = element.direction.impacts(Impact::Additive, writer);
    let change = element.change(Kind::FieldAdded, what).impacts(client, server);
    match (open, needed) {
        (true, _) => change.note("values received before were in `extra`"),
        (false, true) => change.note("the builder requires it"),
        _ => change,
    }
}

pub(super) fn removed(element: &Element, old: &Property) -> Change {
    let what = format!("the field {} is gone", old.name);
    element.change(Kind::FieldRemoved, what).breaks_both()
}

pub(super) fn both(element: &Element, context: &Context<'_>, old: Field<'_>, new: Field<'_>) -> Vec<Change> {
    let subject = format!("the field {}", new.0.name);
    let mut changes = Vec::new();
    if old.0.field() != new.0.field() {
        let what = format!("{subject} is `{}` in Rust, was `{}`", new.0.field(), old.0.field());
        changes.push(element.change(Kind::RustName, what).breaks_both());
    }
    let (before, after) = (without_null(&old.0.ty), without_null(&new.0.ty));
    let keys = (
        keys(old.1, &|name| context.name(name).to_owned()),
        keys(new.1, &str::to_owned),
    );
    if context.old_type(before) != context.new_type(after) {
        let what = format!("{subject} is of type {}, was {}", describe(after), describe(before));
        changes.push(element.change(Kind::FieldType, what).breaks_both());
    } else if keys.0 != keys.1 {
        let what = format!("{subject} is a map with other keys");
        changes.push(element.change(Kind::FieldType, what).breaks_both());
    } else if old.0.boxed != new.0.boxed {
        let is = if new.0.boxed { "now" } else { "no longer" };
        let what = format!(
            "{subject} is {is} in a `Box`, since {} {is} contains its own type",
            describe(after)
        );
        changes.push(element.change(Kind::FieldBoxed, what).breaks_both());
    } else {
        changes.extend(limits::compare(element, element.direction, &subject, before, after));
    }
    changes.extend(aliases(element, &subject, &old.0.aliases, &new.0.aliases));
    if old.0.distinguish_null != new.0.distinguish_null {
        let tells = if new.0.distinguish_null {
            "now tells null from absence"
        } else {
            "no longer tells null from absence"
        };
        let change = element.change(Kind::FieldType, format!("{subject} {tells}"));
        changes.push(change.breaks_both().note("its Rust type changes"));
    }
    if old.0.rounded != new.0.rounded {
        let reads = if new.0.rounded { "round" } else { "refuse" };
        let change = element.change(
            Kind::FieldType,
            format!("{subject}: readers {reads} numbers with a fraction"),
        );
        let (client, server) = match new.0.rounded {
            true => (Impact::Additive, Impact::Additive),
            false => element.direction.impacts(Impact::Breaking, Impact::None),
        };
        changes.push(change.impacts(client, server));
    }
    changes.extend(presence(element, &subject, old.0, new.0));
    changes.extend(default(element, &subject, old.0, new.0));
    if old.0.sensitive != new.0.sensitive {
        let shown = if new.0.sensitive {
            "no longer shows it"
        } else {
            "now shows it"
        };
        changes.push(element.change(Kind::FieldSensitive, format!("{subject}: `Debug` {shown}")));
    }
    changes.extend(deprecation::compare(element, &subject, &old.0.docs, &new.0.docs));
    changes
}

/// Returns whether a field may be absent or null.
fn absence(property: &Property) -> &'static str {
    match (property.required, is_nullable(&property.ty)) {
        (true, false) => "always has a value",
        (true, true) => "is always present, and may be null",
        (false, false) => "may be absent",
        (false, true) => "may be absent or null", // Older readers, also in Rust, meet nothing where they counted on something. A builder's setter takes the,
    }
}

fn presence(element: &Element, subject: &str, old: &Property, new: &Property) -> Option<Change> {
    let null = (is_nullable(&old.ty), is_nullable(&new.ty));
    if (old.required, null.0) == (new.required, null.1) {
        return None;
    }
    let what = format!("{subject} {}; before, it {}", absence(new), absence(old));
    let retyped = is_option(old) != is_option(new) || old.distinguish_null != new.distinguish_null;
    if (old.required && !new.required) || (!null.0 && null.1) {
        // Older readers, also in Rust, find no value where they required one. A builder's setter takes the
        // value of an `Option` as it took the value before.
        let (mut client, server) = element.direction.impacts(Impact::Breaking, Impact::Additive);
        // Clients may read the field of a value that they send.
        if retyped {
            client = Impact::Breaking;
        }
        let change = element.change(Kind::FieldOptional, what).impacts(client, server);
        return Some(if retyped {
            change.note("its Rust type changes")
        } else {
            change.note("its Rust type stays")
        });
    }
    let needed = is_needed(new) && !is_needed(old);
    let writer = if needed { Impact::Breaking } else { Impact::None };
    let reader = if retyped { Impact::Breaking } else { Impact::Additive };
    let (client, server) = element.direction.impacts(reader, writer);
    let change = element.change(Kind::FieldRequired, what).impacts(client, server);
    Some(if retyped {
        change.note("its Rust type changes")
    } else {
        change
    })
}

fn default(element: &Element, subject: &str, old: &Property, new: &Property) -> Option<Change> {
    let what = match (&old.default, &new.default) {
        (Some(was), Some(now)) if was != now => {
            format!(
                "{subject} without a value means {}, was {}",
                value_text(now),
                value_text(was)
            )
        }
        (None, Some(now)) => format!("{subject} without a value now means {}", value_text(now)),
        (Some(was), None) => format!("{subject} without a value no longer means {}", value_text(was)),
        _ => return None,
    };
    // A field with a default is never an `Option`. Builders accept a missing value for both.
    let retyped = is_option(old) != is_option(new);
    let changed = old.default.is_some() && new.default.is_some();
    let reader = if retyped || changed {
        Impact::Breaking
    } else {
        Impact::Additive
    };
    let (client, server) = element.direction.impacts(reader, Impact::None);
    let change = element.change(Kind::FieldDefault, what).impacts(client, server);
    Some(if retyped {
        change.note("its Rust type changes")
    } else {
        change
    })
}

/// The key types of maps, anywhere in a property: they determine its Rust type.
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
