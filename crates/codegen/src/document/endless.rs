//! Objects that hold themselves wherever they stand.

use super::{Schema, SchemaKind, Type};
use crate::Code;
use crate::source::{Report, join};

/// Refuses objects that hold themselves by required properties alone: no value of them ends.
pub(super) fn check(schemas: &[Schema], report: &mut Report<'_>) {
    let mut said: Vec<&str> = Vec::new();
    for schema in schemas {
        let mut path = Vec::new();
        if !said.contains(&schema.name.as_str()) && leads_to(schema, &schema.name, schemas, &mut path) {
            let at = format!("{}/properties", join("/components/schemas", &schema.name));
            said.extend(path.iter().map(|(name, _)| *name));
            let chain: Vec<_> = path
                .iter()
                .map(|(name, property)| format!("{name}.{property}"))
                .collect();
            report.error(
                Code::EndlessSchema,
                &join(&at, path[0].1),
                format!("`{}` holds itself without end, by {}", schema.name, chain.join(", ")),
                "let one of these properties be left out or be null, or make it a list",
            );
        }
    }
}

/// Whether a schema always holds one named `end`; `path` is how. Each step is a schema and one of its properties.
fn leads_to<'s>(schema: &'s Schema, end: &str, schemas: &'s [Schema], path: &mut Vec<(&'s str, &'s str)>) -> bool {
    let SchemaKind::Object { properties, .. } = &schema.kind else {
        return false;
    };
    for property in properties.iter().filter(|property| property.required) {
        let Type::Ref(name) = &property.ty else { continue };
        if path.iter().any(|(passed, _)| passed == name) && name != end {
            continue;
        }
        path.push((&schema.name, &property.name));
        let next = schemas.iter().find(|schema| schema.name == *name);
        if name == end || next.is_some_and(|next| leads_to(next, end, schemas, path)) {
            return true;
        }
        path.pop();
    }
    false
}
