//! Operations: a method of the client, a method of the server's trait, a route.

use super::change::Place;
use super::pairs::pairs;
use super::sides::Sides;
use super::{Change, Impact, Kind, deprecation, parameter, security, types, words};
use crate::document::{Operation, Pagination};

pub(super) fn compare(sides: &Sides<'_>) -> Vec<Change> {
    let same_id = |a: &Operation, b: &Operation| a.id == b.id;
    let same_path = |a: &Operation, b: &Operation| a.path == b.path;
    pairs(&sides.old.operations, &sides.new.operations, &[&same_id, &same_path])
        .into_iter()
        .flat_map(|pair| match pair {
            // The trait has no default bodies: a method that is missing does not compile.
            (None, Some(new)) => vec![
                sides
                    .operation(new)
                    .change(Kind::OperationAdded, "the operation is new")
                    .impacts(Impact::Additive, Impact::Breaking)
                    .note(format!("`Api` has a new method `{}`", new.id)),
            ],
            (Some(old), None) => vec![
                sides
                    .operation(old)
                    .change(Kind::OperationRemoved, "the operation is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(sides, old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn both(sides: &Sides<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    let place = sides.operation(new);
    let mut changes = Vec::new();
    if old.id != new.id {
        let what = format!("the operationId is {}, was {}", new.id, old.id);
        changes.push(place.change(Kind::OperationRenamed, what).breaks_both());
    }
    changes.extend(path(&place, old, new));
    if old.area != new.area {
        let what = format!("it is in the area {}, was in {}", new.area, old.area);
        // The server's module holds nothing public but the input.
        let moved = !old.parameters.is_empty() && !new.parameters.is_empty();
        let server = if moved { Impact::Breaking } else { Impact::None };
        let change = place.change(Kind::OperationArea, what);
        changes.push(
            change
                .impacts(Impact::Breaking, server)
                .note("its types are in another module"),
        );
    }
    if old.server != new.server {
        let what = format!("it is answered at {}, was at {}", new.server, old.server);
        let change = place.change(Kind::OperationServer, what);
        let note = "its route is in the function of another address";
        changes.push(change.impacts(Impact::Breaking, Impact::None).note(note));
    }
    changes.extend(security::compare(&place, old, new));
    changes.extend(parameter::compare(&place, sides, old, new));
    let (before, after) = (sides.old_type(&old.body), sides.new_type(&new.body));
    if before != after {
        let (now, was) = (types::describe(&new.body), types::describe(&old.body));
        let what = format!("it answers {now}, was {was}");
        changes.push(place.change(Kind::OperationBody, what).breaks_both());
    }
    changes.extend(paging(&place, sides, old, new));
    changes.extend(conditional(&place, old, new));
    changes.extend(deprecation::compare(&place, "it", &old.docs, &new.docs));
    let before = words::operation_of(sides.old_json, &old.path);
    let after = words::operation_of(sides.new_json, &new.path);
    changes.extend(words::compare(&place, sides, Some(&before), Some(&after)));
    changes
}

/// A path is no part of what compiles, but older clients call the old one.
fn path(place: &Place, old: &Operation, new: &Operation) -> Option<Change> {
    if bare(&old.path) == bare(&new.path) {
        return None;
    }
    let what = format!("the path is {}, was {}", new.path, old.path);
    let change = place.change(Kind::OperationPath, what);
    // A path that ends in a slash is answered without it too.
    Some(if bare(&new.path).strip_suffix('/') == Some(&bare(&old.path)) {
        change
            .impacts(Impact::Additive, Impact::None)
            .note("the old path is still answered")
    } else {
        change.impacts(Impact::Breaking, Impact::None)
    })
}

/// The path without the names of its parameters, which are reported as such.
fn bare(path: &str) -> String {
    let segments = path
        .split('/')
        .map(|segment| if segment.starts_with('{') { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

/// The server's middleware evaluates the condition: nothing of it is the implementer's.
fn conditional(place: &Place, old: &Operation, new: &Operation) -> Option<Change> {
    let note = "the builder's `send_if_none_match`";
    match (old.conditional, new.conditional) {
        (false, true) => Some(
            place
                .change(Kind::ConditionalAdded, "it evaluates If-None-Match now")
                .impacts(Impact::Additive, Impact::None)
                .note(format!("{note} is new")),
        ),
        (true, false) => Some(
            place
                .change(Kind::ConditionalRemoved, "it evaluates If-None-Match no longer")
                .impacts(Impact::Breaking, Impact::None)
                .note(format!("{note} is gone")),
        ),
        _ => None,
    }
}

fn paging(place: &Place, sides: &Sides<'_>, old: &Operation, new: &Operation) -> Option<Change> {
    match (&old.pagination, &new.pagination) {
        (None, Some(_)) => Some(
            place
                .change(Kind::PagingAdded, "it is paged now")
                .impacts(Impact::Additive, Impact::Additive)
                .note("the builder has `stream` and `pages`"),
        ),
        // The page type loses `Page`, and with it `Encoded::page`.
        (Some(_), None) => Some(
            place
                .change(Kind::PagingRemoved, "it is paged no longer")
                .breaks_both()
                .note("`stream` and `pages` are gone"),
        ),
        (Some(before), Some(after)) => paging_changed(place, sides, before, after),
        (None, None) => None,
    }
}

fn paging_changed(place: &Place, sides: &Sides<'_>, old: &Pagination, new: &Pagination) -> Option<Change> {
    let item = sides.name(&old.item) != new.item;
    if old.style == new.style && old.items == new.items && !item {
        return None;
    }
    let say = |paging: &Pagination| format!("{:?} over {} of {}", paging.style, paging.items, paging.item);
    let what = format!("it is paged by {}, was {}", say(new), say(old));
    // Implementers name the item's type in `Encoded::page`, and nothing else of paging.
    let server = if item { Impact::Breaking } else { Impact::None };
    let change = place.change(Kind::PagingChanged, what);
    Some(change.impacts(Impact::Breaking, server))
}
