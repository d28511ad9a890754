//! The credentials of an operation.

use super::change::Element;
use super::{Change, Impact, Kind};
use crate::document::{Operation, Requirement};

pub(super) fn compare(element: &Element, old: &Operation, new: &Operation) -> Option<Change> {
    // Credentials that met an old alternative are still accepted if a new one requires no more.
    let within = |a: &Vec<String>, b: &Vec<String>| a.iter().all(|scheme| b.contains(scheme));
    let covered = |mine: &[Vec<String>], other: &[Vec<String>]| {
        mine.iter()
            .all(|alternative| other.iter().any(|o| within(o, alternative)))
    };
    let known = |requirement: &Requirement| old.requirements.iter().any(|other| other.scheme == requirement.scheme);
    let client = if !covered(&old.security, &new.security) {
        Impact::Breaking
    } else if covered(&new.security, &old.security) && new.requirements.iter().all(known) {
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

fn ask(operation: &Operation) -> String {
    let alternatives: Vec<_> = operation.security.iter().map(|names| names.join(" with ")).collect();
    alternatives.join(" or ")
}

fn arguments(operation: &Operation) -> String {
    let name = |requirement: &Requirement| match requirement.required {
        true => requirement.scheme.clone(),
        false => format!("an optional {}", requirement.scheme),
    };
    operation.requirements.iter().map(name).collect::<Vec<_>>().join(", ")
}
