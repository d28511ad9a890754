//! Documentation: descriptions, examples, lists of errors.

use serde_json::{Map, Value};

use super::change::Element;
use super::context::Context;
use super::{Change, Kind};
use crate::document::Operation;

/// Keys that the other files of this module compare.
const COMPARED: [&str; 51] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "deprecated",
    "discriminator",
    "enum",
    "format",
    "in",
    "items",
    "maximum",
    "maxLength",
    "minimum",
    "minLength",
    "name",
    "oneOf",
    "operationId",
    "propertyNames",
    "required",
    "schema",
    "scheme",
    "security",
    "type",
    "x-aliases",
    "x-tag",
    "x-deprecation",
    "x-distinguish-null",
    "x-extensible-enum",
    "x-header-aliases",
    "x-middleware",
    "x-optional-for-readers",
    "x-pagination",
    "x-sensitive",
    "x-short-name",
    "x-rounded",
    "x-rust-name",
    "x-rust-names",
    "x-value-attributes",
    "style",
    "explode",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minProperties",
    "maxProperties",
];

/// Objects that are compared as a whole, here or elsewhere.
const WHOLE: [&str; 5] = [
    "example",
    "examples",
    "x-deprecation",
    "x-pagination",
    "x-value-attributes",
];

/// Objects whose keys are names.
const NAMED: [&str; 6] = ["content", "headers", "parameters", "properties", "responses", "tags"];

/// The documentation of the document as a whole and of its tags.
pub(super) fn document(context: &Context<'_>) -> Vec<Change> {
    let head = |root: &Value| {
        let mut head = root.clone();
        if let Some(members) = head.as_object_mut() {
            members.retain(|key, _| {
                !["components", "paths", "servers", "webhooks", "x-parameter-aliases"].contains(&key.as_str())
            });
        }
        head["servers"] = root["servers"][0]["description"].clone();
        head["tags"] = by_name(&root["tags"], |tag| tag);
        head
    };
    let element = Element::new("the document", &[]);
    compare(
        &element,
        context,
        Some(&head(context.old_json)),
        Some(&head(context.new_json)),
    )
}

/// The documentation of the components of one kind, which operations share.
pub(super) fn components(context: &Context<'_>, kind: &str) -> Vec<Change> {
    let pointer = format!("/components/{kind}");
    let members = context.new_json.pointer(&pointer).and_then(Value::as_object);
    members
        .into_iter()
        .flatten()
        .flat_map(|(name, after)| {
            let before = context.old_json.pointer(&pointer).and_then(|old| old.get(name));
            compare(
                &Element::new(format!("{kind}/{name}"), &[name]),
                context,
                before,
                Some(after),
            )
        })
        .collect()
}

/// An operation, with the documentation of its path.
pub(super) fn operation_of(root: &Value, operation: &Operation) -> Value {
    let item = &root["paths"][&operation.path];
    let mut own = item[operation.method.key()].clone();
    let lists = [&item["parameters"], &own["parameters"]];
    let all = lists
        .into_iter()
        .filter_map(Value::as_array)
        .flatten()
        .cloned()
        .collect();
    let parameters = by_name(&Value::Array(all), |parameter| resolve(root, parameter));
    own["parameters"] = parameters;
    own["path"] = item["x-assumption"].clone();
    // A change of `required` is compared elsewhere.
    let mut body = resolve(root, &own["requestBody"]).clone();
    if let Some(members) = body.as_object_mut() {
        members.remove("required");
    }
    own["requestBody"] = body;
    own["servers"] = item["servers"].clone();
    if let Some(members) = own.as_object_mut() {
        members.remove("tags");
    }
    own
}

/// The documentation changes of one part.
pub(super) fn compare(
    element: &Element,
    context: &Context<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
) -> Vec<Change> {
    const SHOWN: usize = 6;
    let (Some(old), Some(new)) = (old, new) else {
        return Vec::new();
    };
    let mut found = Found {
        context,
        words: Vec::new(),
        errors: Vec::new(),
    };
    found.words(old, new, "");
    let errors = found
        .errors
        .into_iter()
        .map(|what| element.change(Kind::ErrorResponses, what));
    let mut changes: Vec<_> = errors.collect();
    if !found.words.is_empty() {
        let shown = found.words.len().min(SHOWN);
        let mut what = format!("documentation changed: {}", found.words[..shown].join(", "));
        if found.words.len() > shown {
            what.push_str(&format!(" and {} more", found.words.len() - shown));
        }
        changes.push(element.change(Kind::Documentation, what));
    }
    changes
}

struct Found<'s> {
    context: &'s Context<'s>,
    words: Vec<String>,
    errors: Vec<String>,
}

impl Found<'_> {
    /// Compares objects whose keys are keywords.
    fn words(&mut self, old: &Value, new: &Value, at: &str) {
        for key in keys(old, new) {
            let (before, after) = (&old[key], &new[key]);
            if before == after {
                continue;
            }
            let here = step(at, key);
            let inside = before.is_object() && after.is_object() && !WHOLE.contains(&key);
            let named = NAMED.contains(&key) && (before.is_object() || after.is_object());
            if named {
                let at = if ["parameters", "properties"].contains(&key) {
                    at
                } else {
                    &here
                };
                self.names(before, after, at, key);
            } else if inside {
                self.words(before, after, &here);
            } else if !COMPARED.contains(&key) || at.ends_with("requestBody") {
                self.words.push(here);
            }
        }
    }

    /// Compares objects whose keys are names.
    fn names(&mut self, old: &Value, new: &Value, at: &str, container: &str) {
        for name in keys(old, new) {
            let here = step(at, name);
            match (old.get(name), new.get(name)) {
                (Some(before), Some(after)) if before == after => {}
                (Some(before), Some(after)) if container != "headers" => {
                    let (old_json, new_json) = (self.context.old_json, self.context.new_json);
                    self.words(resolve(old_json, before), resolve(new_json, after), &here);
                }
                (before, _) if container == "responses" => {
                    let now = if before.is_none() {
                        "now documented"
                    } else {
                        "no longer documented"
                    };
                    self.errors.push(format!("the response {name} is {now}"));
                }
                _ if ["parameters", "properties"].contains(&container) => {}
                _ => self.words.push(here),
            }
        }
    }
}

fn keys<'v>(old: &'v Value, new: &'v Value) -> Vec<&'v str> {
    let members = |value: &'v Value| value.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
    let gone = members(old).filter(|key| new.get(key).is_none());
    members(new).chain(gone).collect()
}

fn step(at: &str, key: &str) -> String {
    if at.is_empty() {
        key.to_owned()
    } else {
        format!("{at}.{key}")
    }
}

/// The shared parameter, response or header of a reference. Schemas are compared separately.
fn resolve<'v>(root: &'v Value, value: &'v Value) -> &'v Value {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    target
        .filter(|pointer| !pointer.starts_with("/components/schemas/"))
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(value)
}

/// A list as an object, keyed by the names of its resolved members.
fn by_name<'v>(list: &'v Value, look_up: impl Fn(&'v Value) -> &'v Value) -> Value {
    let name = |value| look_up(value)["name"].as_str().unwrap_or_default().to_owned();
    let list = list.as_array().into_iter().flatten();
    list.map(|value| (name(value), value.clone()))
        .collect::<Map<_, _>>()
        .into()
}
