//! The credentials that the document declares.

use super::change::Element;
use super::context::Context;
use super::pairs::pairs;
use super::{Change, Impact, Kind, documentation};
use crate::document::SecurityScheme;

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
    Element::new(format!("credential {}", scheme.name), &[&scheme.name, &scheme.header])
}

fn both(context: &Context<'_>, old: &SecurityScheme, new: &SecurityScheme) -> Vec<Change> {
    let element = element(new);
    let mut changes = Vec::new();
    let accepts = |header: &str| {
        std::iter::once(&new.header)
            .chain(&new.aliases)
            .any(|h| header.eq_ignore_ascii_case(h))
    };
    if !old.header.eq_ignore_ascii_case(&new.header) {
        let what = format!("the header is {}, was {}", new.header, old.header);
        let change = element.change(Kind::CredentialHeader, what);
        changes.push(if accepts(&old.header) {
            change
                .impacts(Impact::Additive, Impact::None)
                .note("the old header is still accepted")
        } else {
            change.impacts(Impact::Breaking, Impact::None)
        });
    }
    for alias in old.aliases.iter().filter(|alias| !accepts(alias)) {
        let what = format!("the header {alias} is no longer accepted");
        changes.push(
            element
                .change(Kind::CredentialAlias, what)
                .impacts(Impact::Breaking, Impact::None),
        );
    }
    let accepted = |header: &str| {
        std::iter::once(&old.header)
            .chain(&old.aliases)
            .any(|h| header.eq_ignore_ascii_case(h))
    };
    for alias in new.aliases.iter().filter(|alias| !accepted(alias)) {
        let what = format!("the header {alias} is also accepted");
        changes.push(
            element
                .change(Kind::CredentialAlias, what)
                .impacts(Impact::Additive, Impact::None),
        );
    }
    let pointer = |name: &str| format!("/components/securitySchemes/{name}");
    let (before, after) = (
        context.old_json.pointer(&pointer(&old.name)),
        context.new_json.pointer(&pointer(&new.name)),
    );
    changes.extend(documentation::compare(&element, context, before, after));
    changes
}
