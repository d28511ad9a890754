//! Bodies of requests: an argument or a setter of the client, a field of the server's input. Bodies of responses, and
//! their statuses.

use std::mem::discriminant;

use super::change::{Direction, Element};
use super::context::Context;
use super::types::describe;
use super::{Change, Impact, Kind, limits};
use crate::document::{Body, Content, ContentKind, Field, Operation, Type};
use crate::rust::trait_name;

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
    } else if other_parts(&old.content, &new.content) {
        let what = "parts of the body have other media types";
        changes.push(element.change(Kind::RequestBodyType, what).breaks_both());
    } else if let (Some(before), Some(after)) = (old.content.ty(), new.content.ty()) {
        changes.extend(limits::compare(
            element,
            Direction::ToServers,
            "the body",
            before,
            after,
        ));
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
    if old.is_choice() || new.is_choice() {
        return choice(element, context, old, new);
    }
    let mut changes: Vec<_> = headers(element, old, new).into_iter().collect();
    let equal = match (old.response(), new.response()) {
        (Some(before), Some(after)) => same(context, before, after),
        (before, after) => before.is_none() && after.is_none(),
    };
    if !equal {
        let text = |operation: &Operation| operation.response().map_or("empty".to_owned(), text);
        let what = format!("the response is {}, was {}", text(new), text(old));
        changes.push(element.change(Kind::OperationBody, what).breaks_both());
    } else if let (Some(before), Some(after)) = (old.response(), new.response())
        && let (Some(before), Some(after)) = (before.ty(), after.ty())
    {
        changes.extend(limits::compare(
            element,
            Direction::ToClients,
            "the response",
            before,
            after,
        ));
    }
    if old.success.status != new.success.status {
        let what = format!("the status is {}, was {}", new.success.status, old.success.status);
        // The trait does not name the status; clients in other languages depend on it.
        let change = element.change(Kind::OperationStatus, what);
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    changes
}

/// The type of the headers, where a response begins or ends to declare some. Others are fields of that type.
fn headers(element: &Element, old: &Operation, new: &Operation) -> Option<Change> {
    let names =
        |operation: &Operation| -> Option<String> { Some(operation.success.headers.as_ref()?.names.join(", ")) };
    match (names(old), names(new)) {
        (None, Some(names)) => Some(
            element
                .change(Kind::ResponseHeaders, format!("the response has headers now: {names}"))
                .impacts(Impact::Additive, Impact::Breaking)
                .note(format!("the method of `{}` returns them", trait_name(&new.tag))),
        ),
        (Some(names), None) => Some(
            element
                .change(
                    Kind::ResponseHeaders,
                    format!("the response has no headers any more: {names}"),
                )
                .breaks_both(),
        ),
        _ => None,
    }
}

/// The enum of several successes has a variant for each status; a client or an implementer matches all of them.
fn choice(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    let all = |operation: &Operation| -> Vec<(u16, Option<Content>)> {
        let all = operation.successes();
        all.map(|response| (response.status, response.body.clone())).collect()
    };
    let (before, after) = (all(old), all(new));
    let equal = before.len() == after.len()
        && before.iter().zip(&after).all(|((was, a), (now, b))| {
            was == now
                && match (a, b) {
                    (Some(a), Some(b)) => same(context, a, b),
                    (a, b) => a.is_none() && b.is_none(),
                }
        });
    if equal {
        let typed = |operation: &Operation| -> Vec<bool> {
            operation
                .successes()
                .map(|response| response.headers.is_some())
                .collect()
        };
        let (was, now) = (typed(old), typed(new));
        if was == now {
            return Vec::new();
        }
        let change = element.change(Kind::ResponseHeaders, "other responses than before have headers");
        let gone = was.iter().zip(&now).any(|(was, now)| *was && !now);
        let client = if gone { Impact::Breaking } else { Impact::Additive };
        return vec![
            change
                .impacts(client, Impact::Breaking)
                .note("variants of the server's enum have them"),
        ];
    }
    let describe = |all: &[(u16, Option<Content>)]| {
        let each = all
            .iter()
            .map(|(status, content)| format!("{status} {}", content.as_ref().map_or("empty".to_owned(), text)));
        each.collect::<Vec<_>>().join(" or ")
    };
    let what = format!("the response is {}, was {}", describe(&after), describe(&before));
    vec![element.change(Kind::OperationBody, what).breaks_both()]
}

/// Errors with bodies of their own: variants of an enum in client and server.
pub(super) fn errors(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Option<Change> {
    let types = |operation: &Operation, plain: &dyn Fn(&Type) -> Type| -> Vec<(String, Type, String)> {
        let errors = operation.errors.iter();
        errors
            .map(|error| (error.status.text(), plain(&error.ty), error.media_type.clone()))
            .collect()
    };
    let before = types(old, &|ty| context.old_type(ty));
    let after = types(new, &|ty| context.new_type(ty));
    if before == after {
        return None;
    }
    let kept = before.iter().all(|error| after.contains(error));
    let text = |all: &[(String, Type, String)]| {
        let each = all.iter().map(|(status, ty, _)| format!("{status} {}", describe(ty)));
        let all = each.collect::<Vec<_>>().join(", ");
        if all.is_empty() { "none".to_owned() } else { all }
    };
    let what = format!(
        "errors with a body of their own are {}, were {}",
        text(&after),
        text(&before)
    );
    let change = element.change(Kind::ErrorBody, what);
    // A first enum is new; another variant is another one to match.
    Some(if before.is_empty() && kept {
        change.impacts(Impact::Breaking, Impact::Additive)
    } else {
        change.breaks_both()
    })
}

/// Returns whether a part of both is encoded differently.
fn other_parts(old: &Content, new: &Content) -> bool {
    let (ContentKind::Multipart(_, old), ContentKind::Multipart(_, new)) = (&old.kind, &new.kind) else {
        return false;
    };
    let other = |a: &Field, b: &Field| a.name == b.name && (a.kind != b.kind || a.content_types != b.content_types);
    old.iter().any(|a| new.iter().any(|b| other(a, b)))
}

fn same(context: &Context<'_>, old: &Content, new: &Content) -> bool {
    old.media_type == new.media_type
        && discriminant(&old.kind) == discriminant(&new.kind)
        && old.ty().map(|ty| context.old_type(ty)) == new.ty().map(|ty| context.new_type(ty))
}

/// The type of a body, and its media type unless that is the usual one.
fn text(content: &Content) -> String {
    match content.ty() {
        Some(ty) if content.media_type == "application/json" => describe(ty),
        Some(ty) => format!("{} as {}", describe(ty), content.media_type),
        None => content.media_type.clone(),
    }
}
