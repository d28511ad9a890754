//! Converts OpenAPI 3.2 to 3.1: parts that 3.1 has in another form, and others, which are left out with a note.

use serde_json::{Map, Value, json};

use super::streams::is_stream;
use crate::Code;
use crate::document::essence;
use crate::source::{Part, Source, join, key_of};

/// Notes of a conversion: pointer, message, consequence.
type Notes = Vec<(String, String, &'static str)>;

/// Rewrites the whole document, if it is one of OpenAPI 3.2.
pub(super) fn convert(source: &mut Source<'_>) {
    let version = source.value["openapi"].as_str().unwrap_or_default();
    if !version.starts_with("3.2") {
        return;
    }
    source.value["openapi"] = json!("3.1.1");
    let mut root = std::mem::take(&mut source.value);
    let own = root.as_object_mut().and_then(|root| root.shift_remove("$self"));
    let own = own
        .as_ref()
        .and_then(Value::as_str)
        .map(|uri| uri.split('#').next().unwrap_or(uri).to_owned());
    let media_types = root.get_mut("components").and_then(Value::as_object_mut);
    let media_types = media_types.and_then(|components| components.shift_remove("mediaTypes"));
    let mut conversion = Conversion {
        own,
        media_types: media_types.unwrap_or_default(),
        notes: Vec::new(),
    };
    conversion.part(Part::Document, &mut root, "");
    source.value = root;
    for (at, message, consequence) in conversion.notes {
        source.note(Code::LaterVersion, &at, message, consequence);
    }
}

struct Conversion {
    /// The URI of the document.
    own: Option<String>,
    media_types: Value,
    notes: Notes,
}

impl Conversion {
    fn part(&mut self, part: Part, value: &mut Value, at: &str) {
        match value {
            Value::Object(members) => {
                if !matches!(part, Part::Each(_)) {
                    self.object(part, members, at);
                }
                for (key, member) in members {
                    let part = part.member(key);
                    if part != Part::Data {
                        self.part(part, member, &join(at, key));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.part(part.member(""), item, &format!("{at}/{index}"));
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, part: Part, members: &mut Map<String, Value>, at: &str) {
        if let (Some(own), Some(Value::String(target))) = (&self.own, members.get_mut("$ref"))
            && let Some(fragment) = target.strip_prefix(own.as_str()).filter(|rest| rest.starts_with('#'))
        {
            *target = fragment.to_owned();
        }
        match part {
            Part::PathItem => {
                for key in ["query", "additionalOperations"] {
                    self.remove(
                        members,
                        key,
                        at,
                        "operations of other methods than those of 3.1 are left out",
                    );
                }
            }
            Part::Parameter => parameter(members),
            Part::Response => {
                if let Some(summary) = members.shift_remove("summary") {
                    members.entry("description").or_insert(summary);
                }
            }
            Part::MediaType => self.media_type(members, at),
            Part::Encoding => {
                for key in ["encoding", "prefixEncoding", "itemEncoding"] {
                    self.remove(members, key, at, "it is ignored");
                }
            }
            Part::SecurityScheme => self.security_scheme(members, at),
            Part::Schema => {
                if let Some(discriminator) = members.get_mut("discriminator").and_then(Value::as_object_mut) {
                    let at = join(at, "discriminator");
                    self.remove(
                        discriminator,
                        "defaultMapping",
                        &at,
                        "other values are kept as they are",
                    );
                }
            }
            _ => {}
        }
    }

    fn remove(&mut self, members: &mut Map<String, Value>, key: &str, at: &str, consequence: &'static str) {
        if members.shift_remove(key).is_some() {
            let message = format!("`{key}` of OpenAPI 3.2 is unsupported");
            self.notes.push((join(at, key), message, consequence));
        }
    }

    fn media_type(&mut self, members: &mut Map<String, Value>, at: &str) {
        let target = members.get("$ref").and_then(Value::as_str);
        let name = target.and_then(|target| target.strip_prefix("#/components/mediaTypes/"));
        if let Some(Value::Object(target)) = name.and_then(|name| self.media_types.pointer(&format!("/{name}"))) {
            *members = target.clone();
        }
        for key in ["prefixEncoding", "itemEncoding"] {
            self.remove(members, key, at, "it is ignored");
        }
        let name = key_of(at.rsplit('/').next().unwrap_or_default());
        // Streams of other versions have it, too (`streams`).
        if is_stream(&essence(&name)) {
            return;
        }
        if !members.contains_key("schema") && members.contains_key("itemSchema") {
            members.insert("schema".to_owned(), json!({ "type": "string", "format": "binary" }));
            self.remove(members, "itemSchema", at, "the body is read as bytes");
        } else {
            self.remove(members, "itemSchema", at, "it is ignored");
        }
    }

    fn security_scheme(&mut self, members: &mut Map<String, Value>, at: &str) {
        for key in ["deprecated", "oauth2MetadataUrl"] {
            members.shift_remove(key);
        }
        let Some(flows) = members.get_mut("flows").and_then(Value::as_object_mut) else {
            return;
        };
        let flows_at = join(at, "flows");
        self.remove(
            flows,
            "deviceAuthorization",
            &flows_at,
            "tokens of this flow are sent as `Bearer`",
        );
        if flows.is_empty() {
            members.shift_remove("flows");
            members.insert("type".to_owned(), json!("http"));
            members.insert("scheme".to_owned(), json!("bearer"));
        }
    }
}

/// A whole query that is a form is one parameter whose members are parameters.
fn parameter(members: &mut Map<String, Value>) {
    if members.get("style").is_some_and(|style| style == "cookie") {
        members.shift_remove("style");
    }
    if members.get("in").is_none_or(|location| location != "querystring") {
        return;
    }
    let form = members
        .get_mut("content")
        .and_then(|content| content.get_mut("application/x-www-form-urlencoded"));
    let schema = form.and_then(|form| form.get_mut("schema")).map(Value::take);
    if let Some(schema) = schema {
        members.shift_remove("content");
        members.insert("in".to_owned(), json!("query"));
        members.insert("schema".to_owned(), schema);
    }
}
