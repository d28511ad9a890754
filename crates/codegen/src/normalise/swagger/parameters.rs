//! Parameters and headers: their type as a schema, and `collectionFormat` as a style.

use serde_json::{Map, Value, json};

use super::conversion::Conversion;
use crate::source::join;

/// Members of a parameter or a header that belong to its schema.
const SCHEMA: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "enum",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "multipleOf",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "x-nullable",
];

impl Conversion {
    /// Converts a parameter other than a body.
    pub(super) fn parameter(&mut self, members: &mut Map<String, Value>, old: &str, new: &str) {
        if members.contains_key("schema") {
            return;
        }
        let location = members.get("in").and_then(Value::as_str).unwrap_or_default().to_owned();
        let format = collection_format(members);
        let mut schema = schema_of(members);
        if schema["type"] == "array" {
            match style(&location, &format) {
                // The default of OpenAPI 3.1.
                Some(("form", true)) => {}
                Some((style, explode)) => {
                    members.insert("style".to_owned(), json!(style));
                    members.insert("explode".to_owned(), json!(explode));
                }
                None => schema = self.text(&format, old),
            }
        }
        members.insert("schema".to_owned(), schema);
        self.moved(&join(new, "schema"), old);
    }

    /// Converts a header of a response.
    pub(super) fn header(&mut self, members: &mut Map<String, Value>, old: &str, new: &str) {
        if members.contains_key("schema") || members.contains_key("$ref") {
            return;
        }
        let format = collection_format(members);
        let mut schema = schema_of(members);
        if schema["type"] == "array" && format != "csv" {
            schema = self.text(&format, old);
        }
        members.insert("schema".to_owned(), schema);
        self.moved(&join(new, "schema"), old);
    }

    /// A list that is one text.
    pub(super) fn text(&mut self, format: &str, at: &str) -> Value {
        let message = format!("a list with `collectionFormat: {format}` has no style here");
        self.note(at, message, "it is one text, with the separators");
        json!({ "type": "string" })
    }
}

/// Takes the separator of the items of a list.
pub(super) fn collection_format(members: &mut Map<String, Value>) -> String {
    match members.shift_remove("collectionFormat") {
        Some(Value::String(format)) => format,
        _ => "csv".to_owned(),
    }
}

/// Takes the members of a schema.
pub(super) fn schema_of(members: &mut Map<String, Value>) -> Value {
    let mut schema = Map::new();
    for key in SCHEMA {
        schema.extend(members.shift_remove_entry(key));
    }
    let mut schema = Value::Object(schema);
    // The items of items are separated by another format, which no style has.
    let mut inner = schema.get_mut("items");
    while let Some(items) = inner.and_then(Value::as_object_mut) {
        items.shift_remove("collectionFormat");
        inner = items.get_mut("items");
    }
    schema
}

fn style(location: &str, format: &str) -> Option<(&'static str, bool)> {
    Some(match (location, format) {
        ("query", "csv") => ("form", false),
        ("query", "multi") => ("form", true),
        ("query", "ssv") => ("spaceDelimited", false),
        ("query", "pipes") => ("pipeDelimited", false),
        ("path" | "header", "csv") => ("simple", false),
        _ => return None,
    })
}
