//! Masked schemas: those with `x-masked`, whose secrets responses do not show.

use std::collections::BTreeSet;

use super::{Operation, Schema, SchemaKind, Type};

/// Names of schemas.
type Names = BTreeSet<String>;

/// Marks the bodies of successful responses that contain a masked schema. Returns the schemas whose types visit their secrets:
/// the masked ones, those that contain one, and those within that have a secret.
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
    let secret = schemas.iter().filter(|schema| has_secret(schema));
    let secret = containing(schemas, &secret.map(|schema| schema.name.clone()).collect());
    let within = within(schemas, &around);
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

/// The schemas of some names, and those within them, directly or through others.
fn within(schemas: &[Schema], names: &Names) -> Names {
    let (mut found, mut next) = (names.clone(), names.iter().cloned().collect::<Vec<_>>());
    while let Some(name) = next.pop() {
        let schema = schemas.iter().find(|schema| schema.name == name);
        for name in schema.into_iter().flat_map(Schema::references) {
            if found.insert(name.to_owned()) {
                next.push(name.to_owned());
            }
        }
    }
    found
}

fn names_of(ty: &Type) -> Vec<&str> {
    let mut names = Vec::new();
    ty.references(&mut names);
    names
}

/// Returns true if a schema has a secret of its own, apart from those of the schemas that it refers to.
fn has_secret(schema: &Schema) -> bool {
    match &schema.kind {
        SchemaKind::Object { properties, members } => {
            let types = properties.iter().map(|property| &property.ty).chain(members.typed());
            types.into_iter().any(Type::has_secret)
        }
        SchemaKind::Union(union) => union.variants.iter().any(|variant| variant.ty.has_secret()),
        SchemaKind::Alias(ty) => ty.has_secret(),
        SchemaKind::OpenEnum(_) | SchemaKind::ClosedEnum(_) | SchemaKind::IntegerEnum(_) => false,
    }
}
