//! Which credentials an operation asks for.

use super::change::Place;
use super::{Change, Impact, Kind};
use crate::document::{Operation, Requirement};

pub(super) fn compare(place: &Place, old: &Operation, new: &Operation) -> Option<Change> {
    // Whoever sent what an old alternative wants is let in if a new one wants no more than that.
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
    // The credentials are arguments of the method, in the order in which they are named.
    let server = if old.requirements == new.requirements {
        Impact::None
    } else {
        Impact::Breaking
    };
    if (client, server) == (Impact::None, Impact::None) {
        return None;
    }
    let what = format!("it asks for {}, was {}", ask(new), ask(old));
    let change = place.change(Kind::OperationSecurity, what).impacts(client, server);
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
