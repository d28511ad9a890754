//! The credentials that the document declares.

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::{Change, Impact, Kind, documentation};
use crate::document::{Carrier, SecurityScheme};

pub(super) fn compare(context: &Context<'_>) -> Vec<Change> {
    let same = |a: &SecurityScheme, b: &SecurityScheme| a.name == b.name;
    let pairs = pairs(&context.old.security, &context.new.security, &[&same]);
    pairs
        .into_iter()
        .flat_map(|pair| match pair {
            // `Auth` gets a type and a method without a body.
            (None, Some(new)) => vec![
                element(new)
                    .change(Kind::CredentialAdded, "the credential is new")
                    .impacts(Impact::Additive, Impact::Breaking)
                    .note("`Auth` has a new method"),
            ],
            (Some(old), None) => vec![
                element(old)
                    .change(Kind::CredentialRemoved, "the credential is gone")
                    .breaks_both(),
            ],
            (Some(old), Some(new)) => both(context, old, new),
            (None, None) => Vec::new(),
        })
        .collect()
}

fn element(scheme: &SecurityScheme) -> Element {
    let names = std::iter::once(&scheme.name).chain(scheme.carrier.header_names().first());
    let names: Vec<_> = names.map(String::as_str).collect();
    Element::new(format!("credential {}", scheme.name), &names)
}

fn both(context: &Context<'_>, old: &SecurityScheme, new: &SecurityScheme) -> Vec<Change> {
    let element = element(new);
    let mut changes = match (&old.carrier, &new.carrier) {
        (Carrier::Header(before), Carrier::Header(after)) => headers(&element, before, after),
        (before, after) if before == after => Vec::new(),
        (before, after) => {
            let what = format!("it is sent in the {}, was in the {}", after.place(), before.place());
            let change = element.change(Kind::CredentialPlace, what.replace('`', ""));
            // `Auth` is given a text, or else user and password.
            let basic = |carrier: &Carrier| *carrier == Carrier::Basic;
            let server = match basic(before) == basic(after) {
                true => Impact::None,
                false => Impact::Breaking,
            };
            vec![change.impacts(Impact::Breaking, server)]
        }
    };
    if old.setter() != new.setter() {
        let what = format!("the client's setter is {}, was {}", new.setter(), old.setter());
        let change = element.change(Kind::CredentialSetter, what);
        changes.push(change.impacts(Impact::Breaking, Impact::None));
    }
    let pointer = |name: &str| format!("/components/securitySchemes/{name}");
    let (before, after) = (
        context.old_json.pointer(&pointer(&old.name)),
        context.new_json.pointer(&pointer(&new.name)),
    );
    changes.extend(documentation::compare(&element, context, before, after));
    changes
}

fn headers(element: &Element, old: &[String], new: &[String]) -> Vec<Change> {
    let mut changes = Vec::new();
    let among = |names: &[String], header: &str| names.iter().any(|name| header.eq_ignore_ascii_case(name));
    let ([first, aliases @ ..], [other, others @ ..]) = (old, new) else {
        return changes;
    };
    if !first.eq_ignore_ascii_case(other) {
        let what = format!("the header is {other}, was {first}");
        let change = element.change(Kind::CredentialHeader, what);
        changes.push(if among(new, first) {
            change
                .impacts(Impact::Additive, Impact::None)
                .note("the old header is still accepted")
        } else {
            change.impacts(Impact::Breaking, Impact::None)
        });
    }
    let gone = aliases.iter().filter(|alias| !among(new, alias));
    let come = others.iter().filter(|alias| !among(old, alias));
    let gone = gone.map(|alias| (format!("the header {alias} is no longer accepted"), Impact::Breaking));
    let come = come.map(|alias| (format!("the header {alias} is also accepted"), Impact::Additive));
    changes.extend(gone.chain(come).map(|(what, client)| {
        let change = element.change(Kind::CredentialAlias, what);
        change.impacts(client, Impact::None)
    }));
    changes
}
