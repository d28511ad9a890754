//! Pass 5: the checked 3.1 document as OpenAPI 3.0.3, for progenitor.
//!
//! Only the input of builders: paths, parameters without bounds (servers enforce, clients do not), bodies of
//! requests. Responses are read by the client's own code.

use openapiv3::OpenAPI;
use serde_json::{Map, Value, json};

use crate::Error;
use crate::document::path::is_mixed;
use crate::document::{Document, Operation, ParamLocation, Parameter, SchemaKind, Type};

/// The document in the form that progenitor reads.
pub(crate) fn lower(document: &Document) -> Result<OpenAPI, Error> {
    let mut paths = json!({});
    for operation in &document.operations {
        paths[path(operation)][operation.method.key()] = self::operation(operation);
    }
    let schemas: Map<_, _> = document
        .schemas
        .iter()
        .map(|schema| {
            // The client replaces every named type with that of the models, so only its kind matters here.
            let stand_in = match schema.kind {
                SchemaKind::OpenEnum(_) | SchemaKind::ClosedEnum(_) => json!({ "type": "string" }),
                _ => json!({ "type": "object" }),
            };
            (schema.name.clone(), stand_in)
        })
        .collect();
    let lowered = json!({
        "openapi": "3.0.3",
        "info": { "title": document.title, "version": document.version },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    serde_json::from_value(lowered).map_err(|error| Error::internal("lower", error))
}

/// The path, with the names that the document chooses for its parameters in Rust.
fn path(operation: &Operation) -> String {
    let mut path = operation.path.clone();
    for parameter in &operation.parameters {
        if let (ParamLocation::Path, Some(name)) = (parameter.location, &parameter.rust_name) {
            path = path.replace(&format!("{{{}}}", parameter.name), &format!("{{{name}}}"));
        }
    }
    // Progenitor supports no text beside a parameter: it becomes a segment of its own, since only the parameters matter
    // here.
    let segments = path.split('/').map(|segment| match is_mixed(segment) {
        true => segment.replace('{', "~/{").replace('}', "}/~"),
        false => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

fn operation(operation: &Operation) -> Value {
    let parameters: Vec<_> = operation.parameters.iter().map(parameter).collect();
    let mut lowered = json!({
        "operationId": operation.id,
        "parameters": parameters,
        "responses": { "200": { "description": "" } },
    });
    if operation.request.is_some() {
        // Its type is replaced: streams have none, and optional values are not optional there.
        let schema = json!({ "type": "object" });
        lowered["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": schema } },
        });
    }
    lowered
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match &parameter.ty {
        // Its type is replaced.
        _ if parameter.structure.is_some() => json!({ "type": "string" }),
        // A null parameter is an absent one.
        Type::Nullable(inner) => ty(inner),
        other => ty(other),
    };
    // The builder is the same for all, and progenitor has no cookies, and no lists elsewhere.
    let place = match parameter.location {
        ParamLocation::Cookie => "query",
        ParamLocation::Header if parameter.separator.is_some() => "query",
        location => location.as_str(),
    };
    json!({
        "name": parameter.rust_name.as_ref().unwrap_or(&parameter.name),
        "in": place,
        "required": parameter.required,
        "schema": schema,
    })
}

fn ty(ty: &Type) -> Value {
    match ty {
        Type::String(_) | Type::Secret(_) | Type::File(_) => json!({ "type": "string" }),
        Type::Uuid => json!({ "type": "string", "format": "uuid" }),
        Type::Date => json!({ "type": "string", "format": "date" }),
        Type::DateTime => json!({ "type": "string", "format": "date-time" }),
        Type::Ipv4 => json!({ "type": "string", "format": "ipv4" }),
        Type::Ipv6 => json!({ "type": "string", "format": "ipv6" }),
        Type::Integer(width, _) => json!({ "type": "integer", "format": width.format() }),
        Type::Any => json!({}),
        Type::Number(_) => json!({ "type": "number" }),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Open(_) => json!({ "type": "object" }),
        Type::Ref(name) => json!({ "$ref": format!("#/components/schemas/{name}") }),
        Type::Array(items, _) => json!({ "type": "array", "items": self::ty(items) }),
        Type::Map { values, .. } => json!({ "type": "object", "additionalProperties": self::ty(values) }),
        Type::Nullable(inner) => {
            let mut lowered = self::ty(inner);
            lowered["nullable"] = json!(true);
            lowered
        }
    }
}
