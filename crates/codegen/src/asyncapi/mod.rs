//! Pass 5: the document's events as AsyncAPI 3.0, for tools that read that.
//!
//! The destination of an event is chosen when it is sent, so that there is one channel without an address. Each webhook
//! is a message of it, and an operation, both with the webhook's operationId as their key.

mod schemas;

use serde_json::{Map, Value, json};

use crate::document::{Docs, Document, Tag, Webhook, resolve};

/// The document of the events, which refers to the schemas of `bundle`, the served OpenAPI document. None without
/// webhooks.
pub(crate) fn asyncapi(document: &Document, bundle: &Value) -> Option<Value> {
    if document.webhooks.is_empty() {
        return None;
    }
    let (mut references, mut messages, mut operations) = (Map::new(), Map::new(), Map::new());
    for webhook in &document.webhooks {
        let post = &bundle["components"]["pathItems"][&webhook.id]["post"];
        references.insert(webhook.id.clone(), reference("components/messages", &webhook.id));
        messages.insert(webhook.id.clone(), message(webhook, post, bundle));
        operations.insert(webhook.id.clone(), operation(webhook));
    }
    let payloads = document.webhooks.iter().map(|webhook| webhook.payload.as_str());
    let mut channel = json!({ "address": null, "title": "Events", "description": channel(document) });
    channel["messages"] = Value::Object(references);
    Some(json!({
        "asyncapi": "3.0.0",
        "info": info(document, &bundle["info"]),
        "defaultContentType": "application/json",
        "channels": { "events": channel },
        "operations": operations,
        "components": {
            "messages": messages,
            "schemas": schemas::reachable(payloads, &bundle["components"]["schemas"]),
            "tags": tags(document),
        },
    }))
}

/// Members of AsyncAPI's `info`. The description is that of the events, since the document's own is about requests,
/// too.
fn info(document: &Document, info: &Value) -> Value {
    let mut own = pick(info, &["title", "version", "description"]);
    own.extend(pick(info, &["termsOfService", "contact", "license"]));
    let descriptions: Vec<_> = tags_of_events(document).map(|tag| tag.description.trim()).collect();
    let description = descriptions.join("\n\n").trim().to_owned();
    if !description.is_empty() {
        own.insert("description".to_owned(), json!(description));
    }
    if let Some(license) = own.get_mut("license") {
        *license = Value::Object(pick(license, &["name", "url"]));
    }
    Value::Object(own)
}

/// Meaning of the names of messages.
fn channel(document: &Document) -> String {
    let names = "Every event. The name of a message is the event type, which the payload has as `event_type`.";
    match document.webhooks.iter().any(|webhook| webhook.event_type.contains('{')) {
        true => format!(
            "{names} A segment in braces stands for any text without a dot: such a message describes a family of event \
             types, without those that another message names exactly."
        ),
        false => names.to_owned(),
    }
}

fn operation(webhook: &Webhook) -> Value {
    json!({
        "action": "send",
        "channel": reference("channels", "events"),
        "summary": webhook.docs.summary,
        "tags": [reference("components/tags", &webhook.tag)],
        "messages": [reference("channels/events/messages", &webhook.id)],
    })
}

fn message(webhook: &Webhook, post: &Value, bundle: &Value) -> Value {
    let mut message = json!({ "name": webhook.event_type, "title": webhook.docs.summary });
    let description = description(&webhook.docs);
    if !description.is_empty() {
        message["description"] = json!(description);
    }
    for (key, value) in pick(post, &["deprecated", "x-deprecation", "x-assumption"]) {
        message[key] = value;
    }
    message["tags"] = json!([reference("components/tags", &webhook.tag)]);
    message["payload"] = reference("components/schemas", &webhook.payload);
    let (body, _) = resolve(bundle, &post["requestBody"], "requestBodies", "");
    let examples = examples(&body["content"]["application/json"]);
    if !examples.is_empty() {
        message["examples"] = json!(examples);
    }
    message
}

/// The description, with the date and reason of a deprecation: AsyncAPI has only a flag.
fn description(docs: &Docs) -> String {
    let deprecation = docs.deprecated.as_ref().map(|deprecation| {
        let date = deprecation.date.as_ref();
        let date = date.map(|date| format!(", may be removed from {date}"));
        format!("Deprecated{}: {}", date.unwrap_or_default(), deprecation.advice)
    });
    let paragraphs = [docs.description.trim().to_owned()].into_iter().chain(deprecation);
    let paragraphs: Vec<_> = paragraphs.filter(|paragraph| !paragraph.is_empty()).collect();
    paragraphs.join("\n\n")
}

/// The examples of a body, as those of a message.
fn examples(media: &Value) -> Vec<Value> {
    let one = media.get("example").map(|payload| json!({ "payload": payload }));
    let named = media["examples"].as_object().into_iter().flatten();
    let named = named.map(|(name, example)| {
        let mut own = Map::new();
        own.insert("name".to_owned(), json!(name));
        own.extend(pick(example, &["summary"]));
        own.insert("payload".to_owned(), example["value"].clone());
        Value::Object(own)
    });
    one.into_iter().chain(named).collect()
}

fn tags(document: &Document) -> Value {
    let tags = tags_of_events(document).map(|tag| {
        let value = json!({ "name": tag.name, "description": tag.description });
        (tag.name.clone(), value)
    });
    Value::Object(tags.collect())
}

/// The tags that webhooks have, in the document's order.
fn tags_of_events(document: &Document) -> impl Iterator<Item = &Tag> {
    let is_used = |tag: &Tag| document.webhooks.iter().any(|webhook| webhook.tag == tag.name);
    document.tags.iter().filter(move |tag| is_used(tag))
}

fn reference(section: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/{section}/{name}") })
}

/// The members with these keys, in this order.
fn pick(value: &Value, keys: &[&str]) -> Map<String, Value> {
    keys.iter()
        .filter_map(|key| Some(((*key).to_owned(), value.get(key)?.clone())))
        .collect()
}
