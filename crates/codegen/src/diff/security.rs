//! The credentials of an operation.

use super::change::Element;
use super::context::Context;
use super::{Change, Impact, Kind};
use crate::document::{Alternative, Needed, Operation, Requirement};

pub(super) fn compare(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Vec<Change> {
    let mut changes: Vec<Change> = credentials(element, old, new).into_iter().collect();
    changes.extend(scopes(element, context, old, new));
    changes
}

/// Returns whether a request that meets `met` also meets `wanted`.
fn within(wanted: &Alternative, met: &Alternative, scopes: bool) -> bool {
    wanted.iter().all(|needed| {
        let same = |other: &&Needed| other.scheme == needed.scheme;
        let has = |other: &Needed| !scopes || needed.scopes.iter().all(|scope| other.scopes.contains(scope));
        met.iter().find(same).is_some_and(has)
    })
}

/// Returns whether every request that `of` accepts is accepted by `by`. Without an alternative, no credentials are
/// required.
fn covered(of: &Operation, by: &Operation, scopes: bool) -> bool {
    let none = vec![Alternative::new()];
    let list = |operation: &Operation| match operation.security.is_empty() {
        true => none.clone(),
        false => operation.security.clone(),
    };
    let by = list(by);
    list(of)
        .iter()
        .all(|met| by.iter().any(|wanted| within(wanted, met, scopes)))
}

fn credentials(element: &Element, old: &Operation, new: &Operation) -> Option<Change> {
    let known = |requirement: &Requirement| old.requirements.iter().any(|other| other.scheme == requirement.scheme);
    let client = if !covered(old, new, false) {
        Impact::Breaking
    } else if covered(new, old, false) && new.requirements.iter().all(known) {
        Impact::None
    } else {
        Impact::Additive
    };
    // The credentials are arguments of the method, in the order of the document.
    let server = if old.requirements == new.requirements {
        Impact::None
    } else {
        Impact::Breaking
    };
    if (client, server) == (Impact::None, Impact::None) {
        return None;
    }
    let what = format!("it requires {}, was {}", ask(new), ask(old));
    let change = element.change(Kind::OperationSecurity, what).impacts(client, server);
    let note = format!("the method takes {}, was {}", arguments(new), arguments(old));
    Some(if server == Impact::Breaking {
        change.note(note)
    } else {
        change
    })
}

/// The router asks the implementer for scopes, so they change no signature but the bound of a credential's owner.
fn scopes(element: &Element, context: &Context<'_>, old: &Operation, new: &Operation) -> Option<Change> {
    if old.scopes() == new.scopes() {
        return None;
    }
    // Credentials that were issued for the old scopes may lack the new ones.
    let client = if covered(old, new, true) {
        Impact::Additive
    } else {
        Impact::Breaking
    };
    // The bound of the associated type: implementers must meet it, and generic code may rely on it.
    let bound = |needed: &&Needed| {
        let declared = context.old.carrier(&needed.scheme).is_some() && context.new.carrier(&needed.scheme).is_some();
        declared && context.old.is_scoped(&needed.scheme) != context.new.is_scoped(&needed.scheme)
    };
    let mut all = old.security.iter().chain(&new.security).flatten();
    let bound = all.find(|needed| !needed.scopes.is_empty() && bound(needed));
    let text = |operation: &Operation| {
        operation.scopes().map_or("none".to_owned(), |text| {
            text.trim_start_matches("Requires ")
                .trim_end_matches('.')
                .replace('`', "")
        })
    };
    let what = format!("it requires scopes: {}, was {}", text(new), text(old));
    let change = element.change(Kind::OperationScopes, what);
    Some(match bound {
        Some(Needed { scheme, .. }) => {
            let must = if context.new.is_scoped(scheme) {
                "must"
            } else {
                "need not"
            };
            let note = format!("the owner of {scheme} {must} implement `Scoped`");
            change.impacts(client, Impact::Breaking).note(note)
        }
        None => change.impacts(client, Impact::None),
    })
}

fn ask(operation: &Operation) -> String {
    let names = |all: &Alternative| match all.as_slice() {
        [] => "nothing".to_owned(),
        all => all
            .iter()
            .map(|needed| needed.scheme.as_str())
            .collect::<Vec<_>>()
            .join(" with "),
    };
    match operation.security.as_slice() {
        [] => "nothing".to_owned(),
        all => all.iter().map(names).collect::<Vec<_>>().join(" or "),
    }
}

fn arguments(operation: &Operation) -> String {
    let name = |requirement: &Requirement| match requirement.required {
        true => requirement.scheme.clone(),
        false => format!("an optional {}", requirement.scheme),
    };
    match operation.requirements.as_slice() {
        [] => "none".to_owned(),
        all => all.iter().map(name).collect::<Vec<_>>().join(", "),
    }
}
