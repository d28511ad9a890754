//! Kinds of schemas, by their keywords.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::source::schema_name;

/// The forms of a named schema.
pub(super) enum Form<'v> {
    OpenEnum(&'v Value),
    ClosedEnum(&'v Value),
    IntegerEnum(&'static str, &'v Value),
    /// The keyword, and the choices.
    Union(&'static str, Vec<(usize, &'v Value)>),
    Object(&'v Map<String, Value>),
    /// Any other schema: a type that already exists in Rust.
    Alias,
}

static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The form of a schema whose `allOf` is merged.
pub(super) fn form(value: &Value) -> Form<'_> {
    for (key, closed) in [("x-extensible-enum", false), ("enum", true)] {
        let Some(values) = value.get(key) else { continue };
        let named = || values.as_array().into_iter().flatten().filter(|value| !value.is_null());
        if named().count() > 0 && named().all(Value::is_i64) {
            return Form::IntegerEnum(key, values);
        }
        let texts = named().all(Value::is_string);
        return match (texts, closed) {
            (false, _) => Form::Alias,
            (true, true) => Form::ClosedEnum(values),
            (true, false) => Form::OpenEnum(values),
        };
    }
    if let Some(properties) = value.get("properties").and_then(Value::as_object)
        && !properties.is_empty()
    {
        return Form::Object(properties);
    }
    // The required part is missing, which is reported.
    if value["required"].as_array().is_some_and(|names| !names.is_empty()) {
        return Form::Object(&NONE);
    }
    if let Some((keyword, choices)) = choices(value)
        && choices.len() > 1
    {
        return Form::Union(keyword, choices);
    }
    Form::Alias
}

/// The choices of `oneOf` or `anyOf` but null, with their indexes.
pub(super) fn choices(value: &Value) -> Option<(&'static str, Vec<(usize, &Value)>)> {
    let keyword = ["oneOf", "anyOf"].into_iter().find(|key| value.get(*key).is_some())?;
    let all = value[keyword].as_array().into_iter().flatten().enumerate();
    Some((keyword, all.filter(|(_, choice)| !is_null(choice)).collect()))
}

/// Returns whether a schema accepts null, in any of the spellings: a type, a value, or a choice.
pub(super) fn is_nullable(value: &Value) -> bool {
    let has = |key: &str, null: &dyn Fn(&Value) -> bool| value[key].as_array().is_some_and(|all| all.iter().any(null));
    has("type", &|name| name == "null")
        || has("enum", &Value::is_null)
        || has("x-extensible-enum", &Value::is_null)
        || has("oneOf", &is_null)
        || has("anyOf", &is_null)
}

/// Returns whether a schema accepts null alone.
fn is_null(value: &Value) -> bool {
    value["type"] == "null" || value.get("const").is_some_and(Value::is_null)
}

/// The type names of a schema but null.
pub(super) fn type_names(value: &Value) -> Vec<&str> {
    match &value["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| *name != "null")
            .collect(),
        _ => Vec::new(),
    }
}

/// The schema that a reference names.
pub(super) fn reference(value: &Value) -> Option<&str> {
    schema_name(value["$ref"].as_str()?)
}
