//! Checks that examples match their schemas.

use serde_json::Value;

use super::inline::read_type;
use super::values::{Mismatch, mismatches, schema_mismatches};
use super::{Method, Schema, SchemaKind, Type};
use crate::Code;
use crate::source::{Report, join};

/// Checks every example of the document.
pub(super) fn check(root: &Value, schemas: &[Schema], report: &mut Report<'_>) {
    let mut examples = Examples { schemas, report };
    for (at, item) in members(root, "/paths") {
        examples.parameters(item, &at);
        for (key, operation) in item.as_object().into_iter().flatten() {
            if Method::of_key(key).is_some() {
                examples.operation(operation, &join(&at, key));
            }
        }
    }
    for (at, item) in members(root, "/webhooks") {
        if let Some(post) = item.get("post") {
            examples.operation(post, &format!("{at}/post"));
        }
    }
    for (at, parameter) in members(root, "/components/parameters") {
        examples.holder(parameter, &at);
    }
    for (at, header) in members(root, "/components/headers") {
        examples.holder(header, &at);
    }
    for (at, body) in members(root, "/components/requestBodies") {
        examples.content(body, &at);
    }
    for (at, response) in members(root, "/components/responses") {
        examples.response(response, &at);
    }
    for schema in schemas {
        examples.schema(schema);
    }
}

/// The members of the object at `pointer` below the root, each with its own pointer.
fn members<'v>(root: &'v Value, pointer: &'v str) -> impl Iterator<Item = (String, &'v Value)> {
    let object = root.pointer(pointer).and_then(Value::as_object);
    object
        .into_iter()
        .flatten()
        .map(move |(name, value)| (join(pointer, name), value))
}

struct Examples<'e, 'r, 's> {
    schemas: &'e [Schema],
    report: &'r mut Report<'s>,
}

impl Examples<'_, '_, '_> {
    fn operation(&mut self, operation: &Value, at: &str) {
        self.parameters(operation, at);
        self.content(&operation["requestBody"], &join(at, "requestBody"));
        self.responses(operation, &join(at, "responses"));
    }

    fn parameters(&mut self, owner: &Value, at: &str) {
        for (index, parameter) in owner["parameters"].as_array().into_iter().flatten().enumerate() {
            self.holder(parameter, &format!("{at}/parameters/{index}"));
        }
    }

    fn responses(&mut self, operation: &Value, at: &str) {
        for (status, response) in operation["responses"].as_object().into_iter().flatten() {
            self.response(response, &join(at, status));
        }
    }

    fn response(&mut self, response: &Value, at: &str) {
        self.content(response, at);
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            self.holder(header, &join(&format!("{at}/headers"), name));
        }
    }

    fn content(&mut self, body: &Value, at: &str) {
        for (media_type, media) in body["content"].as_object().into_iter().flatten() {
            self.holder(media, &join(&format!("{at}/content"), media_type));
        }
    }

    /// A parameter, a header or a media type: `schema`, and its siblings `example` or `examples`.
    fn holder(&mut self, value: &Value, at: &str) {
        let Some(schema) = value.get("schema") else { return };
        let ty = read_type(schema, &format!("{at}/schema"), &mut self.report.silent());
        if let Some(example) = value.get("example") {
            self.value(example, &ty, &format!("{at}/example"));
        }
        for (name, example) in value["examples"].as_object().into_iter().flatten() {
            if let Some(example) = example.get("value") {
                let at = join(&format!("{at}/examples"), name);
                self.value(example, &ty, &format!("{at}/value"));
            }
        }
    }

    fn schema(&mut self, schema: &Schema) {
        let at = join("/components/schemas", &schema.name);
        for (index, example) in schema.value["examples"].as_array().into_iter().flatten().enumerate() {
            let found = schema_mismatches(example, schema, self.schemas, &format!("{at}/examples/{index}"));
            self.reject(found);
        }
        let SchemaKind::Object { properties, .. } = &schema.kind else {
            return;
        };
        for property in properties {
            let at = join(&format!("{at}/properties"), &property.name);
            let examples = &schema.value["properties"][&property.name]["examples"];
            for (index, example) in examples.as_array().into_iter().flatten().enumerate() {
                self.value(example, &property.ty, &format!("{at}/examples/{index}"));
            }
        }
    }

    fn value(&mut self, example: &Value, ty: &Type, at: &str) {
        let found = mismatches(example, ty, self.schemas, at);
        self.reject(found);
    }

    fn reject(&mut self, found: Vec<Mismatch>) {
        for Mismatch { at, message, help } in found {
            let message = format!("the example does not match its schema: {message}");
            self.report.value_error(Code::ExampleMismatch, &at, message, help);
        }
    }
}
