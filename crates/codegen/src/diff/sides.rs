//! Both documents, and what comparing one part needs of all others.

use std::collections::HashMap;

use serde_json::Value;

use super::change::Place;
use super::reach::Reach;
use super::{types, words};
use crate::document::{Document, Operation, Schema, Type};

/// Both documents.
pub(super) struct Sides<'a> {
    pub(super) old: &'a Document,
    pub(super) new: &'a Document,
    pub(super) old_json: &'a Value,
    pub(super) new_json: &'a Value,
    /// Where the new document's schemas go.
    pub(super) reach: Reach,
    /// New names of schemas that only have another name.
    renamed: HashMap<&'a str, &'a str>,
}

impl<'a> Sides<'a> {
    pub(super) fn new((old, old_json): (&'a Document, &'a Value), (new, new_json): (&'a Document, &'a Value)) -> Self {
        Self {
            old,
            new,
            old_json,
            new_json,
            reach: Reach::of(new),
            renamed: renamed(&old.schemas, &new.schemas),
        }
    }

    /// The name that an old schema has in the new document, if it is still there.
    pub(super) fn name<'n>(&'n self, old: &'n str) -> &'n str {
        self.renamed.get(old).copied().unwrap_or(old)
    }

    /// An old type as it is compared with new ones.
    pub(super) fn old_type(&self, ty: &Type) -> Type {
        types::plain(ty, &|name| self.name(name).to_owned())
    }

    /// A new type as it is compared with old ones.
    pub(super) fn new_type(&self, ty: &Type) -> Type {
        types::plain(ty, &str::to_owned)
    }

    /// An operation in words.
    pub(super) fn operation(&self, operation: &Operation) -> Place {
        let text = format!("GET {} ({})", operation.path, operation.id);
        Place::new(text, &[&operation.id, &operation.path])
    }

    /// A schema of the new document in words.
    pub(super) fn schema(&self, name: &str) -> Place {
        Place {
            carriers: self.reach.carriers(name),
            ..Place::new(name, &[name])
        }
    }
}

/// Schemas that are gone, each with the one new schema that says the same.
fn renamed<'a>(old: &'a [Schema], new: &'a [Schema]) -> HashMap<&'a str, &'a str> {
    let alone = |schema: &Schema, others: &[Schema]| !others.iter().any(|other| other.name == schema.name);
    let gone: Vec<_> = old.iter().filter(|schema| alone(schema, new)).collect();
    let come: Vec<_> = new.iter().filter(|schema| alone(schema, old)).collect();
    let alike = |a: &Schema, b: &Schema| words::without(&a.value) == words::without(&b.value);
    gone.iter()
        .filter_map(|before| {
            let mut heirs = come.iter().filter(|after| alike(before, after));
            let heir = heirs.next().filter(|_| heirs.next().is_none())?;
            let rivals = gone.iter().filter(|other| alike(other, heir)).count();
            (rivals == 1).then_some((before.name.as_str(), heir.name.as_str()))
        })
        .collect()
}
