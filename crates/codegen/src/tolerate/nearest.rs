//! The nearest supported form of a part that cannot be modelled: it reads and writes the same on the wire.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::keyword::is_ignorable;
use super::open;
use super::path::{Step, steps};
use super::remedy::Remedy;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{essence, is_json};
use crate::source::{Part, join};

/// The remedy that keeps the part of a mistake, if there is one. `tried` are the parts that were replaced already.
pub(super) fn nearest(root: &Value, pointer: &str, diagnostic: &Diagnostic, tried: &HashSet<String>) -> Option<Remedy> {
    let code = diagnostic.code;
    let steps = steps(root, pointer);
    let holder = innermost(&steps);
    let is_new = |at: &str| !tried.contains(at);
    // The style of an object that becomes a map stays.
    let deep = |holder: &Step<'_>| holder.value["style"] == "deepObject" && is_object(root, &holder.value["schema"]);
    if is_ignorable(&steps, code) && !(code == Code::ParameterStyle && holder.is_some_and(deep)) {
        return Some(Remedy::Ignore(pointer.to_owned()));
    }
    match (holder.map(|holder| (holder.part, holder)), code) {
        (Some((Part::Parameter, _)), Code::PathParameterUnused | Code::ParameterTwice)
            if !pointer.starts_with("/components") =>
        {
            Some(Remedy::Ignore(holder?.at.clone()))
        }
        (Some((Part::Header, _)), Code::ResponseHeader | Code::HeaderName)
            if steps.last().is_some_and(|last| last.part == Part::Header) =>
        {
            Some(Remedy::Ignore(pointer.to_owned()))
        }
        (Some((Part::Parameter, holder)), Code::PathParameterOptional) => {
            let required = join(&holder.at, "required");
            Some(Remedy::Set(required, json!(true), "it is required"))
        }
        (Some((Part::Parameter | Part::Header, holder)), _) if holder.value.get("$ref").is_none() => {
            let (value, consequence) = parameter(root, holder)?;
            is_new(&holder.at).then(|| Remedy::Set(holder.at.clone(), value, consequence))
        }
        // Another protocol follows, which cannot be sent.
        (Some((Part::Response, holder)), Code::ResponseStatus) if holder.key.starts_with('1') => {
            let operation = steps.iter().find(|step| step.part == Part::Operation)?;
            Some(Remedy::LeaveOut(operation.at.clone()))
        }
        (Some((Part::Response, holder)), Code::SuccessStatus) => Some(Remedy::Ignore(holder.at.clone())),
        (Some((Part::Response, holder)), Code::StatusWithoutBody) => Some(Remedy::Ignore(join(&holder.at, "content"))),
        (Some((Part::SecurityScheme, holder)), Code::SecuritySchemeKind) if holder.value["type"] == "http" => {
            let description = &holder.value["description"];
            let mut scheme = json!({ "type": "apiKey", "in": "header", "name": "Authorization" });
            if description.is_string() {
                scheme["description"] = description.clone();
            }
            let consequence = "it is the whole header `Authorization`";
            Some(Remedy::Set(holder.at.clone(), scheme, consequence))
        }
        (_, Code::UnknownSecurityScheme | Code::SecurityRequirement | Code::Scopes) => {
            let list = steps
                .iter()
                .position(|step| step.key == "security" || step.key == "x-optional-security")?;
            let alternative = steps.get(list + 1)?;
            Some(Remedy::Ignore(alternative.at.clone()))
        }
        (_, Code::NoSuccess) => success(&steps),
        (_, Code::TextSchema) => Some(Remedy::Ignore(pointer.to_owned())),
        (_, Code::InlineBody) => body(&steps),
        (_, Code::FormFields) => form(&steps, is_new),
        (_, Code::MissingKey) => {
            let [.., media, key] = steps.as_slice() else {
                return None;
            };
            let is_schema = media.part == Part::MediaType && key.key == "schema";
            is_schema.then(|| Remedy::Set(pointer.to_owned(), json!({}), "it is any JSON"))
        }
        (_, Code::NoItems) => {
            let items = join(pointer, "items");
            is_new(&items).then(|| Remedy::Set(items, json!(true), "its items are any JSON"))
        }
        (_, Code::StrayKeyword | Code::Constraint | Code::UnknownKey | Code::Composition | Code::MisplacedKey) => {
            open::remedy(root, &steps)
        }
        (_, Code::RequiredUnknown) => required(&steps, &diagnostic.message),
        (_, Code::ObjectType) => {
            let schema = steps.iter().rev().find(|step| step.value["properties"].is_object())?;
            let ty = join(&schema.at, "type");
            is_new(&ty).then(|| Remedy::Set(ty, json!("object"), "it is an object"))
        }
        (_, Code::NamesCollide) => variants(&steps),
        (_, Code::Discriminator) => {
            let schema = steps
                .iter()
                .rev()
                .find(|step| step.value.get("discriminator").is_some())?;
            Some(Remedy::Ignore(join(&schema.at, "discriminator")))
        }
        _ => None,
    }
}

/// The innermost part with a form of its own that has the pointer: a parameter, a header, a response, a scheme.
fn innermost<'s, 'r>(steps: &'s [Step<'r>]) -> Option<&'s Step<'r>> {
    let own = [Part::Parameter, Part::Header, Part::Response, Part::SecurityScheme];
    steps
        .iter()
        .rev()
        .find(|step| own.contains(&step.part) && step.value.is_object())
}

/// The form of a parameter or a header as text, a list of texts, or a map of texts.
fn parameter(root: &Value, holder: &Step<'_>) -> Option<(Value, &'static str)> {
    let (value, schema) = (holder.value, &holder.value["schema"]);
    let in_query = value["in"] == "query";
    let kind = kind(root, schema, 0);
    let style = value["style"].as_str();
    if style.is_some_and(|style| ["matrix", "label"].contains(&style)) {
        return None;
    }
    let text = json!({ "type": "string" });
    let (schema, consequence) = match kind {
        Kind::List if holder.part == Part::Parameter => {
            (json!({ "type": "array", "items": text }), "it is a list of strings")
        }
        Kind::Object if in_query && style == Some("deepObject") => (
            json!({ "type": "object", "additionalProperties": text }),
            "it is a map of strings",
        ),
        // Its members are parameters of their own, which have no names here.
        Kind::Object if in_query && value.get("content").is_none() => return None,
        _ => (text, "it is a string"),
    };
    let styles: &[&str] = if consequence == "it is a string" {
        &[]
    } else {
        &["style", "explode"]
    };
    let rest = value.as_object()?.iter().filter(|(key, _)| {
        !["schema", "content", "style", "explode"].contains(&key.as_str()) || styles.contains(&key.as_str())
    });
    let mut whole: Map<String, Value> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    whole.insert("schema".to_owned(), schema);
    Some((Value::Object(whole), consequence))
}

/// The kind of the values of a schema.
#[derive(PartialEq)]
enum Kind {
    Text,
    List,
    Object,
}

fn is_object(root: &Value, schema: &Value) -> bool {
    kind(root, schema, 0) == Kind::Object
}

fn kind(root: &Value, schema: &Value, depth: usize) -> Kind {
    if let Some(target) = schema["$ref"]
        .as_str()
        .and_then(|target| root.pointer(target.strip_prefix('#')?))
    {
        return if depth < 16 {
            kind(root, target, depth + 1)
        } else {
            Kind::Text
        };
    }
    let is = |name: &str| schema["type"] == name || schema["type"][0] == name;
    if is("array") {
        return Kind::List;
    }
    if is("object") || schema["properties"].is_object() {
        return Kind::Object;
    }
    let choices = ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|key| schema[key].as_array());
    let mut kinds = choices.flatten().map(|choice| kind(root, choice, depth + 1));
    let found: Vec<_> = if depth < 16 {
        kinds.by_ref().collect()
    } else {
        Vec::new()
    };
    if found.contains(&Kind::Object) {
        Kind::Object
    } else if found.contains(&Kind::List) {
        Kind::List
    } else {
        Kind::Text
    }
}

/// A success for an operation that declares none: its only response, or one without a body.
fn success(steps: &[Step<'_>]) -> Option<Remedy> {
    let operation = steps.iter().find(|step| step.part == Part::Operation)?;
    let responses = operation.value["responses"].as_object()?;
    let mut responses = responses.clone();
    let (response, consequence) = match responses.shift_remove("default") {
        Some(response) if responses.is_empty() => (response, "the response `default` is that of each success"),
        other => {
            responses.extend(other.map(|response| ("default".to_owned(), response)));
            (json!({ "description": "" }), "a success has no body")
        }
    };
    responses.insert("2XX".to_owned(), response);
    Some(Remedy::Set(
        join(&operation.at, "responses"),
        Value::Object(responses),
        consequence,
    ))
}

/// A body without null or secrecy of its own.
fn body(steps: &[Step<'_>]) -> Option<Remedy> {
    let schema = steps.iter().rev().find(|step| step.part == Part::Schema)?;
    if schema.value.get("format").is_some() {
        return Some(Remedy::Ignore(join(&schema.at, "format")));
    }
    let choices = ["oneOf", "anyOf"]
        .iter()
        .find_map(|key| schema.value[*key].as_array())?;
    let mut others = choices.iter().filter(|choice| choice["type"] != "null");
    let (Some(only), None) = (others.next(), others.next()) else {
        return None;
    };
    Some(Remedy::Set(schema.at.clone(), only.clone(), "null is not sent"))
}

/// A form of any members: a map of texts.
fn form(steps: &[Step<'_>], is_new: impl Fn(&str) -> bool) -> Option<Remedy> {
    let media = steps.iter().rev().find(|step| step.part == Part::MediaType)?;
    if is_json(&essence(&media.key)) || media.value.get("encoding").is_some() && steps.last()?.key != "schema" {
        return None;
    }
    let at = join(&media.at, "schema");
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    is_new(&at).then(|| Remedy::Set(at, map, "it is a map of strings"))
}

/// A required property that the schema does not declare: one of any value.
fn required(steps: &[Step<'_>], message: &str) -> Option<Remedy> {
    let name = message.split('`').nth(1)?;
    let schema = steps.iter().rev().find(|step| step.part == Part::Schema)?;
    let consequence = "it is a property of any JSON";
    let properties = join(&schema.at, "properties");
    Some(match schema.value["properties"].is_object() {
        true => Remedy::Set(join(&properties, name), json!({}), consequence),
        false => Remedy::Set(properties, json!({ name: {} }), consequence),
    })
}

/// The choices of a union, of which two have one name: numbers name those without a name of their own.
fn variants(steps: &[Step<'_>]) -> Option<Remedy> {
    let schema = steps.iter().rev().find(|step| step.part == Part::Schema)?;
    let mut named = schema.value.clone();
    let key = ["oneOf", "anyOf"].into_iter().find(|key| named[*key].is_array())?;
    for (index, choice) in named[key].as_array_mut()?.iter_mut().enumerate() {
        let null = choice["type"] == "null";
        if let Some(choice) = choice
            .as_object_mut()
            .filter(|choice| !null && !choice.contains_key("$ref"))
        {
            choice
                .entry("x-rust-name")
                .or_insert_with(|| json!(format!("Variant{}", index + 1)));
        }
    }
    (named != *schema.value).then(|| Remedy::Set(schema.at.clone(), named, "its variants have numbers"))
}
