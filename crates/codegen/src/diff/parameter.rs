//! Parameters: an argument or a setter of the client's call, a field of the server's input, a rule that the server enforces.

use serde_json::Value;

use super::change::{Direction, Element};
use super::context::Context;
use super::pairs::{Pair, pairs};
use super::types::{describe, is_nullable, without_null};
use super::{Change, Impact, Kind, deprecation, limits};
use crate::document::{Operation, Parameter};

pub(super) fn compare(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    let same = |a: &Parameter, b: &Parameter| a.name == b.name && a.location == b.location;
    let same_name = |a: &Parameter, b: &Parameter| a.name == b.name;
    let paired = pairs(&old.parameters, &new.parameters, &[&same, &same_name]);
    let order = order(element, &old.parameters, &paired);
    let changes = paired.into_iter().flat_map(|pair| match pair {
        (None, Some(new)) => vec![added(element, new, !old.has_input())],
        (Some(old), None) => {
            let change = element.change(Kind::ParameterRemoved, format!("{} is gone", subject(old)));
            vec![change.breaks_both()]
        }
        (Some(old), Some(new)) => both(element, context, old, new),
        (None, None) => Vec::new(),
    });
    changes.chain(order).collect()
}

/// Required parameters are arguments of the client's method, in the document's order.
fn order(element: &Element, old: &[Parameter], pairs: &[Pair<'_, Parameter>]) -> Option<Change> {
    let arguments = pairs.iter().filter_map(|pair| match *pair {
        (Some(before), Some(after)) if before.is_argument() && after.is_argument() => Some((before, after)),
        _ => None,
    });
    let (before, after): (Vec<_>, Vec<_>) = arguments.unzip();
    let positions = before
        .iter()
        .map(|known| old.iter().position(|parameter| std::ptr::eq(*known, parameter)));
    if positions.is_sorted() {
        return None;
    }
    let names: Vec<_> = after.iter().map(|parameter| parameter.name.as_str()).collect();
    let what = format!("the required parameters are in another order: {}", names.join(", "));
    let change = element.change(Kind::ParameterOrder, what);
    let note = "they are arguments of the client's method in this order";
    Some(change.impacts(Impact::Breaking, Impact::None).note(note))
}

fn subject(parameter: &Parameter) -> String {
    format!("the {} parameter {}", parameter.location.as_str(), parameter.name)
}

/// Clients need not set a new optional parameter; the input is `#[non_exhaustive]`.
fn added(element: &Element, new: &Parameter, first: bool) -> Change {
    let required = if new.required { "required" } else { "optional" };
    let change = element.change(Kind::ParameterAdded, format!("{} is new and {required}", subject(new)));
    let client = if new.required {
        Impact::Breaking
    } else {
        Impact::Additive
    };
    if first {
        let note = "the method has an input now";
        change.impacts(client, Impact::Breaking).note(note)
    } else {
        change.impacts(client, Impact::Additive)
    }
}

fn both(element: &Element, context: &Context<'_>, old: &Parameter, new: &Parameter) -> Vec<Change> {
    let subject = subject(new);
    let mut changes = Vec::new();
    if old.location != new.location {
        let what = format!("{subject} moved here from the {}", old.location.as_str());
        let change = element.change(Kind::ParameterLocation, what);
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    // A null parameter is an absent one.
    let (before, after) = (without_null(&old.ty), without_null(&new.ty));
    if context.old_type(before) != context.new_type(after) {
        let what = format!("{subject} is of type {}, was {}", describe(after), describe(before));
        changes.push(element.change(Kind::ParameterType, what).breaks_both());
    } else {
        changes.extend(limits::compare(element, Direction::ToServers, &subject, before, after));
    }
    if old.separator != new.separator
        && let (Some(before), Some(after)) = (old.separator, new.separator)
    {
        let what = format!("{subject} is sent {}, was {}", after.described(), before.described());
        let change = element.change(Kind::ParameterStyle, what);
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    if old.field() != new.field() {
        let what = format!("{subject} is `{}` in Rust, was `{}`", new.field(), old.field());
        changes.push(element.change(Kind::RustName, what).breaks_both());
    }
    if old.structure != new.structure
        && let (Some(before), Some(after)) = (&old.structure, &new.structure)
        && std::mem::discriminant(before) != std::mem::discriminant(after)
    {
        let (after, before) = (after.described(&new.name), before.described(&old.name));
        let what = format!("{subject} is sent {after}, was {before}");
        let change = element.change(Kind::ParameterStyle, what);
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    // Either of the two changes the type of the input's field.
    let server = if old.is_option() == new.is_option() {
        Impact::None
    } else {
        Impact::Breaking
    };
    if old.required != new.required {
        let (kind, must, client) = if new.required {
            (Kind::ParameterRequired, "is required now", Impact::Breaking)
        } else {
            (Kind::ParameterOptional, "is optional now", Impact::Additive)
        };
        let change = element.change(kind, format!("{subject} {must}"));
        changes.push(if old.is_argument() && !new.required {
            let note = "the client's argument becomes a setter";
            change.impacts(Impact::Breaking, server).note(note)
        } else {
            change.impacts(client, server)
        });
    } else if old.default != new.default {
        let (now, was) = (default(new), default(old));
        let change = element.change(Kind::ParameterDefault, format!("{subject} has {now}, had {was}"));
        let note = "requests without it have another result";
        changes.push(change.impacts(Impact::Breaking, server).note(note));
    }
    if is_nullable(&old.ty) != is_nullable(&new.ty) {
        changes.push(element.change(Kind::Documentation, format!("{subject} changed whether it may be null")));
    }
    changes.extend(aliases(element, &subject, &old.aliases, &new.aliases));
    if old.sensitive != new.sensitive {
        let shown = if new.sensitive {
            "no longer shows it"
        } else {
            "now shows it"
        };
        changes.push(element.change(Kind::FieldSensitive, format!("{subject}: `Debug` {shown}")));
    }
    changes.extend(deprecation::compare(element, &subject, &old.docs, &new.docs));
    changes
}

/// Other names that requests may use.
pub(super) fn aliases(element: &Element, subject: &str, old: &[String], new: &[String]) -> Vec<Change> {
    let gone = old.iter().filter(|alias| !new.contains(alias));
    let gone = gone.map(|alias| (format!("{subject} is no longer accepted as {alias}"), Impact::Breaking));
    let come = new.iter().filter(|alias| !old.contains(alias));
    let come = come.map(|alias| (format!("{subject} is also accepted as {alias}"), Impact::Additive));
    let changes = gone.chain(come).map(|(what, client)| {
        let change = element.change(Kind::Alias, what);
        change.impacts(client, Impact::None)
    });
    changes.collect()
}

fn default(parameter: &Parameter) -> String {
    match &parameter.default {
        Some(value) => format!("the default {}", value_text(value)),
        None => "no default".to_owned(),
    }
}

pub(super) fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
