//! Webhooks: one event type each, or a family of them.

use serde_json::Value;

use super::types::read_type;
use super::{Area, Docs, Schema, SchemaKind, Type, area_of, text};
use crate::source::{Report, join};

/// A webhook of the document.
pub(crate) struct Webhook {
    /// An event type, in which a segment in braces stands for any text without a dot.
    pub(crate) event_type: String,
    pub(crate) id: String,
    pub(crate) docs: Docs,
    /// The schema of its payload.
    pub(crate) payload: String,
}

pub(super) fn read_all(root: &Value, areas: &[Area], schemas: &[Schema], report: &mut Report<'_>) -> Vec<Webhook> {
    let webhooks = root.get("webhooks").and_then(Value::as_object);
    webhooks
        .into_iter()
        .flatten()
        .filter_map(|(event_type, value)| {
            let at = format!("{}/post", join("/webhooks", event_type));
            let post = &value["post"];
            area_of(post, &at, areas, report);
            Some(Webhook {
                event_type: event_type.clone(),
                id: text(post, "/operationId"),
                docs: Docs::read(post, &at, report),
                payload: payload(post, &at, schemas, report)?,
            })
        })
        .collect()
}

fn payload(post: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> Option<String> {
    let at = format!("{at}/requestBody/content");
    let content = post.pointer("/requestBody/content")?.as_object()?;
    let Some(media) = content.get("application/json").filter(|_| content.len() == 1) else {
        report.error(
            &at,
            "an event's payload is not `application/json` alone",
            "write `application/json`",
        );
        return None;
    };
    let at = format!("{}/schema", join(&at, "application/json"));
    let Some(Type::Ref(name)) = read_type(&media["schema"], &at, report) else {
        report.error(
            &at,
            "an event's payload is a named schema",
            "name it in `components.schemas`",
        );
        return None;
    };
    let schema = schemas.iter().find(|schema| schema.name == name)?;
    let tagged = match &schema.kind {
        SchemaKind::Object { properties, .. } => properties
            .iter()
            .any(|p| p.name == "event_type" && p.required && matches!(p.ty, Type::String { .. })),
        _ => false,
    };
    if !tagged {
        report.error(
            &at,
            format!("`{name}` has no required string `event_type`"),
            "events are told apart by it",
        );
    }
    Some(name)
}
