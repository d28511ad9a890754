//! Bodies of requests: `in: body`, and forms of `in: formData`.

use serde_json::{Map, Value, json};

use super::conversion::Conversion;
use super::parameters::{collection_format, schema_of};
use crate::document::{FORM, MULTIPART, essence};
use crate::source::join;

/// A parameter that is a body, or a part of one.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) value: Value,
    pub(super) at: String,
}

impl Part {
    fn is_form(&self) -> bool {
        self.value["in"] == "formData"
    }

    /// Returns whether this part of an operation replaces one of its path.
    pub(super) fn overrides(&self, other: &Self) -> bool {
        self.value["in"] == other.value["in"] && (!self.is_form() || self.value["name"] == other.value["name"])
    }
}

/// Returns whether a parameter is a body, or a part of one.
pub(super) fn is_body(parameter: &Value) -> bool {
    parameter["in"] == "body" || parameter["in"] == "formData"
}

impl Conversion {
    /// The body of an operation.
    pub(super) fn body(&mut self, parts: &[Part], consumes: &[String], at: &str) -> Option<Value> {
        let new = join(at, "requestBody");
        let whole: Vec<_> = parts.iter().filter(|part| !part.is_form()).collect();
        let Some((body, others)) = whole.split_first() else {
            return (!parts.is_empty()).then(|| self.form(parts, consumes, &new));
        };
        let form = parts.iter().filter(|part| part.is_form());
        for part in form.chain(others.iter().copied()) {
            self.note(&part.at, "an operation has one body", "this one is left out");
        }
        let mut members = body.value.as_object()?.clone();
        let schema = members
            .shift_remove("schema")
            .unwrap_or_else(|| schema_of(&mut members));
        let essences = consumes.iter().map(|name| (name, essence(name)));
        // Forms have their own parameters.
        let types = essences.filter(|(_, essence)| *essence != FORM && *essence != MULTIPART);
        let mut types: Vec<_> = types.map(|(name, _)| name.clone()).collect();
        if types.is_empty() {
            types.push("application/json".to_owned());
        }
        self.moved(&new, &body.at);
        let from = join(&body.at, "schema");
        self.moved(&join(&new, "content"), &from);
        let mut content = Map::new();
        for name in types {
            self.moved(&join(&join(&join(&new, "content"), &name), "schema"), &from);
            content.insert(name, json!({ "schema": schema }));
        }
        members.retain(|key, _| key == "description" || key == "required");
        members.insert("content".to_owned(), Value::Object(content));
        Some(Value::Object(members))
    }

    /// A form, whose fields are parameters.
    fn form(&mut self, parts: &[Part], consumes: &[String], new: &str) -> Value {
        let has = |media_type: &str| consumes.iter().any(|name| essence(name) == media_type);
        let files = parts.iter().any(|part| part.value["type"] == "file");
        let media_type = match files || has(MULTIPART) && !has(FORM) {
            true => MULTIPART,
            false => FORM,
        };
        let schema_at = join(&join(&join(new, "content"), media_type), "schema");
        let (mut properties, mut required) = (Map::new(), Vec::new());
        if let Some(first) = parts.first() {
            self.moved(new, &first.at);
        }
        for part in parts {
            let Some(mut members) = part.value.as_object().cloned() else {
                continue;
            };
            let Some(name) = members.get("name").and_then(Value::as_str).map(str::to_owned) else {
                self.note(&part.at, "a field of a form has no `name`", "it is left out");
                continue;
            };
            let format = collection_format(&mut members);
            let mut schema = schema_of(&mut members);
            if schema["type"] == "array" && format != "multi" {
                schema = self.text(&format, &part.at);
            }
            if let Some(description) = members.shift_remove("description") {
                schema["description"] = description;
            }
            if members.get("required") == Some(&json!(true)) {
                required.push(name.clone());
            }
            self.moved(&join(&join(&schema_at, "properties"), &name), &part.at);
            properties.insert(name, schema);
        }
        let is_required = !required.is_empty();
        let mut schema = json!({ "type": "object", "properties": properties });
        if is_required {
            schema["required"] = json!(required);
        }
        json!({ "required": is_required, "content": { media_type: { "schema": schema } } })
    }
}
