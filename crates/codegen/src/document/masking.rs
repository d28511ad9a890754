//! Masked schemas: those with `x-masked`, whose secrets are hidden in responses.

use std::collections::BTreeSet;

use super::{Operation, Schema, Type};

/// Names of schemas.
type Names = BTreeSet<String>;

/// Marks the bodies of successful responses that contain a masked schema. Returns the schemas whose types visit their
/// secrets: the masked ones, those that contain one, and those within that have a secret.
///
/// A body counts as a whole: beside a masked schema, its other secrets are masked, too.
pub(super) fn mark(schemas: &[Schema], operations: &mut [Operation]) -> Names {
    let masked = schemas.iter().filter(|schema| schema.value["x-masked"] == true);
    let masked: Names = masked.map(|schema| schema.name.clone()).collect();
    let around = containing(schemas, &masked);
    let is_masked = |ty: &Type| names_of(ty).into_iter().any(|name| around.contains(name));
    for operation in operations {
        for response in std::iter::once(&mut operation.success).chain(&mut operation.others) {
            if let Some(content) = &mut response.body {
                content.masked = content.ty().is_some_and(is_masked);
            }
        }
    }
    let none = Names::new();
    let secret = schemas
        .iter()
        .filter(|schema| schema.types().into_iter().any(|ty| ty.has_secret(&none)));
    let secret = containing(schemas, &secret.map(|schema| schema.name.clone()).collect());
    let within = Schema::within(schemas, around.iter().map(String::as_str));
    &around | &(&secret & &within)
}

/// The schemas of some names, and those that contain one, directly or through others.
fn containing(schemas: &[Schema], names: &Names) -> Names {
    let mut found = names.clone();
    loop {
        let refers = |schema: &&Schema| schema.references().into_iter().any(|name| found.contains(name));
        let more: Names = schemas
            .iter()
            .filter(refers)
            .map(|schema| schema.name.clone())
            .collect();
        if more.is_subset(&found) {
            return found;
        }
        found.extend(more);
    }
}

fn names_of(ty: &Type) -> Vec<&str> {
    let mut names = Vec::new();
    ty.references(&mut names);
    names
}
