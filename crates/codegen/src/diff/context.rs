//! Both documents, and the context for the comparison of one part.

use std::collections::HashMap;

use serde_json::Value;

use super::change::Element;
use super::reachability::Reachability;
use super::{equality, types};
use crate::document::{Document, Members, Operation, Schema, Type};

/// Both documents.
pub(super) struct Context<'a> {
    pub(super) old: &'a Document,
    pub(super) new: &'a Document,
    pub(super) old_json: &'a Value,
    pub(super) new_json: &'a Value,
    /// The uses of the new document's schemas.
    pub(super) reachability: Reachability,
    /// New names of schemas that were only renamed.
    renamed: HashMap<&'a str, &'a str>,
}

impl<'a> Context<'a> {
    pub(super) fn new((old, old_json): (&'a Document, &'a Value), (new, new_json): (&'a Document, &'a Value)) -> Self {
        Self {
            old,
            new,
            old_json,
            new_json,
            reachability: Reachability::of(new),
            renamed: renamed(&old.schemas, &new.schemas),
        }
    }

    /// The name of an old schema in the new document, if it exists there.
    pub(super) fn name<'n>(&'n self, old: &'n str) -> &'n str {
        self.renamed.get(old).copied().unwrap_or(old)
    }

    /// An old type in the form that is compared.
    pub(super) fn old_type(&self, ty: &Type) -> Type {
        types::plain(ty, &|name| self.name(name).to_owned())
    }

    /// A new type in the form that is compared.
    pub(super) fn new_type(&self, ty: &Type) -> Type {
        types::plain(ty, &str::to_owned)
    }

    /// The type of the free members of an old object.
    pub(super) fn old_members(&self, members: &Members) -> Option<Type> {
        members.typed().map(|ty| self.old_type(ty))
    }

    /// The type of the free members of a new object.
    pub(super) fn new_members(&self, members: &Members) -> Option<Type> {
        members.typed().map(|ty| self.new_type(ty))
    }

    /// The element of an operation.
    pub(super) fn operation(&self, operation: &Operation) -> Element {
        let text = format!("{} ({})", operation.endpoint(), operation.id);
        Element::new(text, &[&operation.id, &operation.path])
    }

    /// The element of a schema of the new document.
    pub(super) fn schema(&self, name: &str) -> Element {
        Element {
            users: self.reachability.users(name),
            direction: self.reachability.direction(name),
            ..Element::new(name, &[name])
        }
    }
}

/// Removed schemas, each with the one new schema that is equal.
fn renamed<'a>(old: &'a [Schema], new: &'a [Schema]) -> HashMap<&'a str, &'a str> {
    let alone = |schema: &Schema, others: &[Schema]| !others.iter().any(|other| other.name == schema.name);
    let gone: Vec<_> = old.iter().filter(|schema| alone(schema, new)).collect();
    let come: Vec<_> = new.iter().filter(|schema| alone(schema, old)).collect();
    let alike = |a: &Schema, b: &Schema| equality::without(&a.value) == equality::without(&b.value);
    gone.iter()
        .filter_map(|before| {
            let mut heirs = come.iter().filter(|after| alike(before, after));
            let heir = heirs.next().filter(|_| heirs.next().is_none())?;
            let rivals = gone.iter().filter(|other| alike(other, heir)).count();
            (rivals == 1).then_some((before.name.as_str(), heir.name.as_str()))
        })
        .collect()
}
