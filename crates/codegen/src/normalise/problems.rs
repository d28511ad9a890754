//! Adds problem details (RFC 9457) to any document: the body of errors of the generated server and client.

use serde_json::{Map, Value, json};

/// The names of these schemas. A schema of the document with such a name gets another one.
pub(super) const NAMES: [&str; 3] = ["Problem", "Violation", "ConflictingObject"];

/// Adds the schemas.
pub(super) fn add(root: &mut Value) {
    let Some(components) = root.get_mut("components").and_then(Value::as_object_mut) else {
        return;
    };
    let schemas = components.entry("schemas").or_insert_with(|| Value::Object(Map::new()));
    let Some(schemas) = schemas.as_object_mut() else { return };
    let text = |description: &str| json!({ "type": "string", "description": description });
    let problem = json!({
        "description": "The body of an error response: problem details by RFC 9457.",
        "type": "object",
        "required": ["title", "status"],
        "properties": {
            "type": { "type": "string", "default": "about:blank", "description": "A URI that names the kind of problem." },
            "title": text("The kind of problem, in a few words."),
            "status": { "type": "integer", "format": "int32", "description": "The HTTP status code of the response." },
            "detail": text("A human-readable explanation of this problem."),
            "instance": text("The path of the request."),
            "request_id": text("The id of the request in the service's log."),
            "errors": {
                "type": "array",
                "items": { "$ref": "#/components/schemas/Violation" },
                "description": "Every violation of the request, when it was not valid.",
            },
            "conflict": {
                "$ref": "#/components/schemas/ConflictingObject",
                "description": "What is in the way, of a 409.",
            },
        },
    });
    let violation = json!({
        "description": "One value of a request that is not valid.",
        "type": "object",
        "required": ["location", "code", "message"],
        "properties": {
            "location": text("The value's place in the request, such as `/query/limit`."),
            "code": text("The kind of violation."),
            "message": text("The rule that the value breaks."),
        },
    });
    let conflict = json!({
        "description": "What is in the way of a request.",
        "type": "object",
        "properties": {
            "resource": text("What it is."),
            "id": text("Its id."),
        },
    });
    for (name, schema) in NAMES.into_iter().zip([problem, violation, conflict]) {
        schemas.insert(name.to_owned(), schema);
    }
}
