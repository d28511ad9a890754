//! Operations: a method of the client, a method of the server's trait, a route.

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::{Change, Impact, Kind, body, deprecation, documentation, parameter, security};
use crate::document::path::nameless;
use crate::document::{Operation, Pagination};
use crate::rust::trait_name;

pub(super) fn compare(context: &Context<'_>) -> Vec<Change> {
    let same_id = |a: &Operation, b: &Operation| a.id == b.id;
    let same_endpoint = |a: &Operation, b: &Operation| a.endpoint() == b.endpoint();
    pairs(
        &context.old.operations,
        &context.new.operations,
        &[&same_id, &same_endpoint],
    )
    .into_iter()
    .flat_map(|pair| match pair {
        // The trait has no default bodies: a missing method does not compile.
        (None, Some(new)) => vec![
            context
                .operation(new)
                .change(Kind::OperationAdded, "the operation is new")
                .impacts(Impact::Additive, Impact::Breaking)
                .note(format!("`{}` has a new method `{}`", trait_name(&new.tag), new.id)),
        ],
        (Some(old), None) => vec![
            context
                .operation(old)
                .change(Kind::OperationRemoved, "the operation is gone")
                .breaks_both(),
        ],
        (Some(old), Some(new)) => both(context, old, new),
        (None, None) => Vec::new(),
    })
    .collect()
}

fn both(context: &Context<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    let element = context.operation(new);
    let mut changes = Vec::new();
    if old.id != new.id {
        let what = format!("the operationId is {}, was {}", new.id, old.id);
        changes.push(element.change(Kind::OperationRenamed, what).breaks_both());
    }
    if old.method != new.method {
        let what = format!("the method is {}, was {}", new.method.name(), old.method.name());
        let change = element.change(Kind::OperationMethod, what);
        // The trait does not name it.
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    changes.extend(path(&element, old, new));
    if old.tag != new.tag {
        let what = format!("the tag is {}, was {}", new.tag, old.tag);
        let change = element.change(Kind::OperationTag, what).breaks_both();
        let own_trait = trait_name(&new.tag);
        changes.push(change.note(format!(
            "its types are in another module, and its method is one of `{own_trait}`"
        )));
    }
    if old.server != new.server {
        let what = format!("the server is {}, was {}", new.server, old.server);
        let change = element.change(Kind::OperationServer, what);
        let note = "its route is in the function of another server";
        changes.push(change.impacts(Impact::Breaking, Impact::None).note(note));
    }
    changes.extend(security::compare(&element, context, old, new));
    changes.extend(parameter::compare(&element, context, old, new));
    changes.extend(body::request(&element, context, old, new));
    changes.extend(body::response(&element, context, old, new));
    changes.extend(body::errors(&element, context, old, new));
    changes.extend(paging(&element, context, old, new));
    changes.extend(conditional(&element, old, new));
    changes.extend(deprecation::compare(&element, "it", &old.docs, &new.docs));
    let before = documentation::operation_of(context.old_json, old);
    let after = documentation::operation_of(context.new_json, new);
    changes.extend(documentation::compare(&element, context, Some(&before), Some(&after)));
    changes
}

/// A path does not affect compilation, but older clients call the old one.
fn path(element: &Element, old: &Operation, new: &Operation) -> Option<Change> {
    if bare(&old.path) == bare(&new.path) {
        return None;
    }
    let what = format!("the path is {}, was {}", new.path, old.path);
    let change = element.change(Kind::OperationPath, what);
    // A path that ends in a slash is also served without it.
    Some(if bare(&new.path).strip_suffix('/') == Some(&bare(&old.path)) {
        change
            .impacts(Impact::Additive, Impact::None)
            .note("the old path is still served")
    } else {
        change.impacts(Impact::Breaking, Impact::None)
    })
}

/// The path without the names of its parameters, whose changes are reported separately.
fn bare(path: &str) -> String {
    path.split('/').map(nameless).collect::<Vec<_>>().join("/")
}

/// The server's middleware evaluates the condition, so implementers are not affected.
fn conditional(element: &Element, old: &Operation, new: &Operation) -> Option<Change> {
    let note = "the builder's `send_if_none_match`";
    match (old.conditional, new.conditional) {
        (false, true) => Some(
            element
                .change(Kind::ConditionalAdded, "it evaluates If-None-Match now")
                .impacts(Impact::Additive, Impact::None)
                .note(format!("{note} is new")),
        ),
        (true, false) => Some(
            element
                .change(Kind::ConditionalRemoved, "it no longer evaluates If-None-Match")
                .impacts(Impact::Breaking, Impact::None)
                .note(format!("{note} is gone")),
        ),
        _ => None,
    }
}

fn paging(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Option<Change> {
    match (&old.pagination, &new.pagination) {
        (None, Some(_)) => Some(
            element
                .change(Kind::PagingAdded, "it is paged now")
                .impacts(Impact::Additive, Impact::Additive)
                .note("the builder has `stream` and `pages`"),
        ),
        // The page type loses `Page`, and with it `Encoded::page`.
        (Some(_), None) => Some(
            element
                .change(Kind::PagingRemoved, "it is no longer paged")
                .breaks_both()
                .note("`stream` and `pages` are gone"),
        ),
        (Some(before), Some(after)) => paging_changed(element, context, before, after),
        (None, None) => None,
    }
}

fn paging_changed(element: &Element, context: &Context<'_>, old: &Pagination, new: &Pagination) -> Option<Change> {
    let item = context.name(&old.item) != new.item;
    if old.style == new.style && old.items == new.items && !item {
        return None;
    }
    let text = |paging: &Pagination| format!("{:?} over {} of {}", paging.style, paging.items, paging.item);
    let what = format!("it is paged by {}, was {}", text(new), text(old));
    // `Encoded::page` names the type of the items; implementers use nothing else of paging.
    let server = if item { Impact::Breaking } else { Impact::None };
    let change = element.change(Kind::PagingChanged, what);
    Some(change.impacts(Impact::Breaking, server))
}
