//! The document as it is served: for third-party generators, some of which misread forms of the hand-written one.
//!
//! Each function replaces one such form with an equivalent one; `tests/bundle.rs` names the generators that need it.

mod yaml;

use serde_json::{Map, Value, json};

pub(crate) use yaml::to_yaml;

use crate::document::{Document, SchemaKind, aliases, also_named};
use crate::source::METHODS;

/// The document to serve.
pub(crate) fn bundle(document: &Document, source: &Value) -> Value {
    let mut bundle = source.clone();
    open_enums(document, &mut bundle);
    webhooks(document, &mut bundle);
    servers(&mut bundle);
    parameter_aliases(source, &mut bundle);
    bundle
}

/// The description of a parameter names its aliases, which third-party tools do not look for at the root.
fn parameter_aliases(source: &Value, bundle: &mut Value) {
    let note = |parameter: &mut Value| {
        let name = parameter["name"].as_str().unwrap_or_default();
        if let Some(sentence) = also_named(aliases::of(source, name).iter().map(String::as_str)) {
            let described = parameter["description"].as_str().unwrap_or_default();
            parameter["description"] = json!(format!("{described} {sentence}").trim());
        }
    };
    let shared = bundle
        .pointer_mut("/components/parameters")
        .and_then(Value::as_object_mut);
    shared.into_iter().flat_map(Map::values_mut).for_each(note);
    let items = bundle["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations = items.filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    let lists = operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut());
    let own = lists.flatten().filter(|parameter| parameter.get("name").is_some());
    own.for_each(note);
}

/// An open enum `Tone` becomes any string or a value of the enum `KnownTone`, which is added after it.
fn open_enums(document: &Document, bundle: &mut Value) {
    let Some(schemas) = bundle.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else {
        return;
    };
    let mut all = Map::new();
    for (name, mut schema) in std::mem::take(schemas) {
        let kind = document.schemas.iter().find(|known| known.name == name);
        let Some(SchemaKind::OpenEnum(values)) = kind.map(|schema| &schema.kind) else {
            all.insert(name, schema);
            continue;
        };
        let known = known_values(document, &name);
        let enumeration = json!({
            "description": format!("The known values of `{name}`."),
            "x-tag": schema["x-tag"],
            "type": "string",
            "enum": values,
            "examples": [values.first()],
        });
        if let Some(open) = schema.as_object_mut() {
            open.shift_remove("type");
            let choices = json!([{ "$ref": format!("#/components/schemas/{known}") }, { "type": "string" }]);
            open.insert("anyOf".to_owned(), choices);
        }
        all.insert(name, schema);
        all.insert(known, enumeration);
    }
    *schemas = all;
}

/// An unused schema name for the named values of an open enum.
fn known_values(document: &Document, name: &str) -> String {
    let mut known = format!("Known{name}");
    while document.schemas.iter().any(|schema| schema.name == known) {
        known.push_str("Value");
    }
    known
}

/// The key of a webhook becomes its operationId, its path item moves to the components, and `x-event-type` is the event type
/// that was its key.
fn webhooks(document: &Document, bundle: &mut Value) {
    let (mut keys, mut items) = (Map::new(), Map::new());
    for webhook in &document.webhooks {
        let mut item = bundle["webhooks"][&webhook.event_type].take();
        item["post"]["x-event-type"] = json!(webhook.event_type);
        keys.insert(
            webhook.id.clone(),
            json!({ "$ref": format!("#/components/pathItems/{}", webhook.id) }),
        );
        items.insert(webhook.id.clone(), item);
    }
    if !keys.is_empty() {
        bundle["webhooks"] = Value::Object(keys);
        bundle["components"]["pathItems"] = Value::Object(items);
    }
}

/// Server URLs are expanded with the defaults of their variables. A path does not repeat the document's own server, nor an
/// operation that of its path.
fn servers(bundle: &mut Value) {
    let own = written_out(bundle.get_mut("servers"));
    for item in bundle["paths"].as_object_mut().into_iter().flat_map(Map::values_mut) {
        let of_path = written_out_unless(item, &own);
        let members = item.as_object_mut().into_iter().flatten();
        for (_, operation) in members.filter(|(key, _)| METHODS.contains(&key.as_str())) {
            written_out_unless(operation, &of_path);
        }
    }
}

/// Expands the URLs of the servers of a path or an operation, and drops them if they are those around it. Returns the
/// URLs that it has.
fn written_out_unless(holder: &mut Value, outer: &[String]) -> Vec<String> {
    let own = written_out(holder.get_mut("servers"));
    if own.is_empty() || own == outer {
        if let Some(holder) = holder.as_object_mut() {
            holder.shift_remove("servers");
        }
        return outer.to_vec();
    }
    own
}

/// Expands the URLs of servers, and returns them.
fn written_out(servers: Option<&mut Value>) -> Vec<String> {
    let mut urls = Vec::new();
    for server in servers.and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(server) = server.as_object_mut() else { continue };
        let mut url = server["url"].as_str().unwrap_or_default().to_owned();
        let variables = server.shift_remove("variables").unwrap_or_default();
        for (name, variable) in variables.as_object().into_iter().flatten() {
            let default = variable["default"].as_str().unwrap_or_default();
            url = url.replace(&format!("{{{name}}}"), default);
        }
        server.insert("url".to_owned(), json!(url));
        urls.push(url);
    }
    urls
}
