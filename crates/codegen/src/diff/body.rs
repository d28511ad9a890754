//! Bodies of requests: an argument or a setter of the client, a field of the server's input. Bodies of responses, and their
//! statuses.

use super::change::Element;
use super::context::Context;
use super::types::describe;
use super::{Change, Impact, Kind};
use crate::document::{Body, Content, Operation};

pub(super) fn request(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    match (&old.request, &new.request) {
        (None, Some(body)) => vec![added(element, body, old)],
        (Some(_), None) => vec![
            element
                .change(Kind::RequestBodyRemoved, "the request has no body any more")
                .breaks_both(),
        ],
        (Some(before), Some(after)) => both(element, context, before, after),
        (None, None) => Vec::new(),
    }
}

/// A required body is an argument of the client's method, an optional one has a setter.
fn added(element: &Element, body: &Body, old: &Operation) -> Change {
    let (what, client) = if body.required {
        ("the request has a body now, which is required", Impact::Breaking)
    } else {
        ("the request may have a body now", Impact::Additive)
    };
    let change = element.change(Kind::RequestBodyAdded, what);
    if old.has_input() {
        change.impacts(client, Impact::Additive)
    } else {
        change
            .impacts(client, Impact::Breaking)
            .note("the method has an input now")
    }
}

fn both(element: &Element, context: &Context<'_>, old: &Body, new: &Body) -> Vec<Change> {
    let mut changes = Vec::new();
    if !same(context, &old.content, &new.content) {
        let what = format!("the body is {}, was {}", text(&new.content), text(&old.content));
        changes.push(element.change(Kind::RequestBodyType, what).breaks_both());
    }
    // The client's argument becomes a setter or the other way round, the field of the input an `Option` or no longer.
    if old.required != new.required {
        let (kind, what) = if new.required {
            (Kind::RequestBodyRequired, "the body is required now")
        } else {
            (Kind::RequestBodyOptional, "the body is optional now")
        };
        changes.push(element.change(kind, what).breaks_both());
    }
    changes
}

pub(super) fn response(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    let mut changes = Vec::new();
    let equal = match (old.response(), new.response()) {
        (Some(before), Some(after)) => same(context, before, after),
        (before, after) => before.is_none() && after.is_none(),
    };
    if !equal {
        let text = |operation: &Operation| operation.response().map_or("empty".to_owned(), text);
        let what = format!("the response is {}, was {}", text(new), text(old));
        changes.push(element.change(Kind::OperationBody, what).breaks_both());
    }
    if old.success.status != new.success.status {
        let what = format!("the status is {}, was {}", new.success.status, old.success.status);
        // The trait does not name the status; clients in other languages expect it.
        let change = element.change(Kind::OperationStatus, what);
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    changes
}

fn same(context: &Context<'_>, old: &Content, new: &Content) -> bool {
    old.media_type == new.media_type
        && old.ty().map(|ty| context.old_type(ty)) == new.ty().map(|ty| context.new_type(ty))
}

/// The type of a body, and its media type where that is not the usual one.
fn text(content: &Content) -> String {
    match content.ty() {
        Some(ty) if content.media_type == "application/json" => describe(ty),
        Some(ty) => format!("{} as {}", describe(ty), content.media_type),
        None => content.media_type.clone(),
    }
}
