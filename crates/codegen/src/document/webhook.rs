//! Webhooks, each an event type or a family of event types.

use serde_json::Value;

use super::body;
use super::json::{resolve, text};
use super::media_type::JSON;
use super::tag::tag_of;
use super::{Docs, Schema, SchemaKind, Tag, Type};
use crate::Code;
use crate::source::{Report, join};

/// A webhook of the document.
pub(crate) struct Webhook {
    /// An event type, in which a segment in braces matches any text without a dot.
    pub(crate) event_type: String,
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) docs: Docs,
    /// The schema of its payload.
    pub(crate) payload: String,
}

pub(super) fn read_all(root: &Value, tags: &[Tag], schemas: &[Schema], report: &mut Report<'_>) -> Vec<Webhook> {
    let webhooks = root.get("webhooks").and_then(Value::as_object);
    webhooks
        .into_iter()
        .flatten()
        .map(|(event_type, value)| {
            let at = format!("{}/post", join("/webhooks", event_type));
            let post = &value["post"];
            Webhook {
                event_type: event_type.clone(),
                id: text(post, "/operationId"),
                tag: tag_of(post, &at, tags, report),
                docs: Docs::read(post, &at, report),
                payload: payload(root, post, &at, schemas, report),
            }
        })
        .collect()
}

/// The name of the schema of an event, empty where it is rejected.
fn payload(root: &Value, post: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> String {
    let at = join(at, "requestBody");
    let (value, at) = resolve(root, &post["requestBody"], "requestBodies", &at);
    if !value["content"].is_object() {
        return String::new();
    }
    let ty = body::read(value, &at, JSON, report);
    let at = format!("{at}/content/application~1json/schema");
    let Type::Ref(name) = ty else {
        let message = format!("an event's payload must be a named object; this one is {}", ty.noun());
        let help = "refer to an object in `components.schemas`, which may contain the list";
        report.error(Code::EventPayload, &at, message, help);
        return String::new();
    };
    let tagged = match schemas
        .iter()
        .find(|schema| schema.name == name)
        .map(|schema| &schema.kind)
    {
        Some(SchemaKind::Object { properties, .. }) => properties.iter().any(|property| {
            let text = matches!(property.ty, Type::String(_)) || property.ty.is_broken(schemas);
            property.name == "event_type" && property.required && text
        }),
        Some(_) => false,
        // Reported elsewhere: there is no such schema.
        None => true,
    };
    if !tagged {
        report.error(
            Code::EventType,
            &at,
            format!("`{name}` has no required string `event_type`"),
            format!("add `event_type: {{type: string}}` to `{name}`, and require it: events are distinguished by it"),
        );
        report.unless_rejected(&join("/components/schemas", &name));
    }
    name
}
