//! Schemas and references: `x-nullable`, `discriminator`, `type: file`, and the places of components.

use serde_json::{Map, Value, json};

use crate::source::{Part, SWAGGER_SECTIONS, walk};

/// Rewrites the references and schemas of a document whose parts have their new places.
pub(super) fn convert(root: &mut Value) {
    walk(Part::Document, root, &mut |part, members| {
        if let Some(Value::String(target)) = members.get_mut("$ref")
            && let Some(new) = reference(target)
        {
            *target = new;
        }
        if part == Part::Schema {
            schema(members);
        }
    });
}

/// The new place of a component.
fn reference(target: &str) -> Option<String> {
    SWAGGER_SECTIONS.iter().find_map(|(old, new)| {
        let name = target.strip_prefix("#/")?.strip_prefix(old)?.strip_prefix('/')?;
        Some(format!("#/components/{new}/{name}"))
    })
}

fn schema(schema: &mut Map<String, Value>) {
    if schema.shift_remove("x-nullable") == Some(json!(true)) {
        schema.insert("nullable".to_owned(), json!(true));
    }
    if let Some(name) = schema.get("discriminator").and_then(Value::as_str) {
        let discriminator = json!({ "propertyName": name });
        schema.insert("discriminator".to_owned(), discriminator);
    }
    if schema.get("type").is_some_and(|ty| ty == "file") {
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("format".to_owned(), json!("binary"));
    }
}
