//! The operations of a hand-written document: the fields of their input, and the schema of their response.

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub(crate) const METHODS: [&str; 7] = ["get", "put", "post", "patch", "delete", "head", "options"];

/// Media types of values, one a line.
const LINES: [&str; 4] = [
    "application/x-ndjson",
    "application/jsonl",
    "application/ndjson",
    "application/x-jsonlines",
];

/// An operation.
pub(crate) struct Operation {
    /// `in`, `required` and `schema` of each parameter, and of the body.
    pub(crate) fields: Vec<Value>,
    /// The statuses of its successful responses.
    pub(crate) statuses: Vec<String>,
    /// The schema of each successful response that has a body, by status.
    pub(crate) answers: Vec<Option<Value>>,
    /// The headers of each successful response that has typed ones, as the schema of an object.
    pub(crate) headers: Vec<Option<Value>>,
    /// Each error with a body of its own.
    pub(crate) errors: Vec<Failure>,
}

/// An error with a body of its own.
pub(crate) struct Failure {
    /// Its key among the responses: a status, a class, or `default`.
    pub(crate) key: String,
    /// The status to send, as far as there is one.
    pub(crate) status: Option<u16>,
    pub(crate) schema: Value,
}

/// All operations, by their ids.
pub(crate) fn operations(document: &Value) -> BTreeMap<String, Operation> {
    let mut all = BTreeMap::new();
    for item in document["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.values())
    {
        for (method, operation) in item.as_object().into_iter().flatten() {
            if METHODS.contains(&method.as_str()) {
                let named = operation["x-rust-name"].as_str();
                let id = named.or(operation["operationId"].as_str()).unwrap_or_default();
                all.insert(id.to_owned(), read(document, item, method, operation));
            }
        }
    }
    all
}

fn read(document: &Value, item: &Value, method: &str, operation: &Value) -> Operation {
    let own = parameters(document, operation);
    let mut fields: Vec<_> = parameters(document, item)
        .into_iter()
        .filter(|shared| !own.iter().any(|own| same(own, shared)))
        .collect();
    fields.extend(own);
    // The middleware evaluates conditions.
    let conditional = operation["responses"].get("304").is_some();
    fields.retain(|field| {
        !(conditional
            && field["name"]
                .as_str()
                .is_some_and(|name| name.eq_ignore_ascii_case("if-none-match")))
    });
    let mut fields: Vec<_> = fields
        .into_iter()
        .map(|field| match schema(&field) {
            Some(schema) => json!({ "in": "json", "required": field["required"], "schema": schema }),
            None => json!({ "in": field["in"], "required": field["required"], "schema": field["schema"] }),
        })
        .collect();
    if let Some(body) = operation.get("requestBody") {
        let body = resolve(document, body);
        fields.push(json!({
            "in": if is_form(body) { "form" } else { "body" },
            "required": body["required"],
            "schema": schema(body),
        }));
    }
    let responses = operation["responses"].as_object().into_iter().flatten();
    let mut responses: Vec<_> = responses
        .map(|(status, response)| (status, resolve(document, response)))
        .collect();
    // Statuses, then classes, then `default`.
    responses.sort_by_key(|(status, _)| (status.starts_with('d'), status.ends_with('X'), (*status).clone()));
    let redirect = |status: &str| status.starts_with('3') && status != "304";
    let successes = responses
        .iter()
        .filter(|(status, _)| status.starts_with('2') || redirect(status));
    let (statuses, successes): (Vec<_>, Vec<_>) =
        successes.map(|(status, success)| ((*status).clone(), *success)).unzip();
    // A response to HEAD has no content.
    let has_content = method != "head";
    let answers = successes.iter().map(|success| schema(success).filter(|_| has_content));
    let answers = answers.collect();
    let headers = successes
        .iter()
        .map(|success| headers(document, method, success))
        .collect();
    let others = responses.iter().filter(|(status, _)| !status.starts_with(['2', '3']));
    let errors = others.filter_map(|(status, error)| {
        let schema = error["content"]
            .as_object()?
            .iter()
            .find(|(media_type, _)| is_json(&essence(media_type)))?
            .1
            .get("schema")?;
        let problem = schema["$ref"] == "#/components/schemas/Problem";
        (!problem).then(|| Failure {
            key: (*status).clone(),
            status: sent_status(status, &responses),
            schema: schema.clone(),
        })
    });
    let errors = errors.collect();
    Operation {
        fields,
        statuses,
        answers,
        headers,
        errors,
    }
}

/// The typed headers of a response, as an object. None if it has none.
fn headers(document: &Value, method: &str, response: &Value) -> Option<Value> {
    let all = response["headers"].as_object().into_iter().flatten();
    let sent_by_middleware = match method {
        "head" => &["x-request-id", "deprecation", "sunset"][..],
        _ => &["etag", "cache-control", "x-request-id", "deprecation", "sunset"],
    };
    let typed = all.filter(|(name, header)| {
        let marked = resolve(document, header)["x-middleware"] == true;
        !marked && !sent_by_middleware.contains(&name.to_lowercase().as_str())
    });
    let (mut properties, mut required) = (json!({}), Vec::new());
    for (name, header) in typed {
        let header = resolve(document, header);
        properties[name] = header["schema"].clone();
        if header["required"] == true {
            required.push(name);
        }
    }
    let any = properties.as_object().is_some_and(|properties| !properties.is_empty());
    any.then(|| json!({ "type": "object", "properties": properties, "required": required }))
}

/// A status of a class, or of the rest, that no other response has.
fn sent_status(status: &str, all: &[(&String, &Value)]) -> Option<u16> {
    let has = |wanted: &str| all.iter().any(|(status, _)| *status == wanted);
    match status {
        "4XX" => Some(418),
        "5XX" => Some(599),
        "default" if !has("4XX") => Some(418),
        "default" if !has("5XX") => Some(599),
        "default" => None,
        _ => status.parse().ok(),
    }
}

fn parameters(document: &Value, holder: &Value) -> Vec<Value> {
    let list = holder["parameters"].as_array().into_iter().flatten();
    list.map(|parameter| resolve(document, parameter).clone()).collect()
}

fn same(a: &Value, b: &Value) -> bool {
    a["name"] == b["name"] && a["in"] == b["in"]
}

/// The schema of the only media type: a list for values in lines, a string for text and bytes. An absent stream is
/// an empty one.
fn schema(holder: &Value) -> Option<Value> {
    let (media_type, media) = holder["content"].as_object()?.iter().next()?;
    let schema = media.get("schema").cloned().unwrap_or_default();
    let is_binary = schema["format"] == "binary";
    Some(match essence(media_type).as_str() {
        // Lines that are not decoded.
        lines if LINES.contains(&lines) && is_binary => json!({ "type": "string", "default": "" }),
        lines if LINES.contains(&lines) || lines == "application/json-seq" => {
            json!({ "type": "array", "items": schema, "default": [] })
        }
        "text/event-stream" => json!({ "type": "array", "items": event(schema) }),
        "text/plain" => json!({ "type": "string" }),
        "application/x-www-form-urlencoded" | "multipart/form-data" => schema,
        json if is_json(json) => schema,
        _ => json!({ "type": "string", "default": "" }),
    })
}

/// An event, with its data: a text may have several lines.
fn event(schema: Value) -> Value {
    let data = match schema["type"] == "string" {
        true => json!({ "type": "string", "enum": ["é", "", "two\nlines", "{\"a\":1}", "[DONE]"] }),
        false => schema,
    };
    let line = json!({ "type": "string", "enum": ["1", "b c", "é: d"] });
    let retry = json!({ "type": "integer", "minimum": 0, "maximum": 1_000_000 });
    json!({
        "type": "object",
        "required": ["data"],
        "properties": { "event": line, "id": line, "retry": retry, "data": data },
    })
}

/// A media type without its parameters.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns whether a media type is one of JSON values.
pub(crate) fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json")
}

fn is_form(body: &Value) -> bool {
    let mut media_types = body["content"]
        .as_object()
        .into_iter()
        .flat_map(|content| content.keys());
    media_types.any(|media_type| essence(media_type) == "application/x-www-form-urlencoded")
}

/// The target of a reference, or the part itself.
pub(crate) fn resolve<'v>(document: &'v Value, value: &'v Value) -> &'v Value {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}
