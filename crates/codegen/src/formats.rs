//! The Rust types of string formats, for typify and progenitor.

use schemars_typify::schema::{InstanceType, SchemaObject};

/// The schema of each format, and its type as generated code imports it.
pub(crate) fn conversions() -> impl Iterator<Item = (SchemaObject, &'static str)> {
    [
        ("date-time", "DateTime"),
        ("date", "NaiveDate"),
        ("uuid", "Uuid"),
        ("password", "Secret"),
        // Ours alone: no document has it.
        ("file", "FilePart"),
    ]
    .into_iter()
    .map(|(format, name)| (string_of(format), name))
}

fn string_of(format: &str) -> SchemaObject {
    SchemaObject {
        instance_type: Some(InstanceType::String.into()),
        format: Some(format.to_owned()),
        ..SchemaObject::default()
    }
}
