//! Schemas of third-party documents whose constructs have no type: each becomes the nearest one that reads and writes
//! the same JSON, with a note.

use serde_json::{Map, Value, json};

use crate::diagnostic::Code;
use crate::source::{Part, Source, join, walk_at};

/// Keys of a choice that only restricts the object around it.
const RESTRICTIONS: [&str; 6] = ["required", "not", "type", "description", "title", "dependentRequired"];

/// The types of scalars, with a test each.
const KINDS: [(&str, IsKind); 4] = [
    ("string", Value::is_string),
    ("integer", Value::is_i64),
    ("number", |value| value.is_number() && !value.is_i64()),
    ("boolean", Value::is_boolean),
];
type IsKind = fn(&Value) -> bool;

/// A note: its code, place, message and consequence.
type Note = (Code, String, String, &'static str);

/// Rewrites the schemas of a document.
pub(super) fn rewrite(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let mut notes = Vec::new();
    walk_at(Part::Document, "", &mut root, &mut |part, at, schema| {
        if part == Part::Schema {
            branches(schema, at, &mut notes);
            tuple(schema, at, &mut notes);
            members(schema, at, &mut notes);
            values(schema, at, &mut notes);
        }
    });
    source.value = root;
    for (code, at, message, consequence) in notes {
        source.note(code, &at, message, consequence);
    }
}

/// Drops choices that only require members of the object around them.
fn branches(schema: &mut Map<String, Value>, at: &str, notes: &mut Vec<Note>) {
    let is_object = ["properties", "allOf", "additionalProperties", "$ref"];
    if !is_object.iter().any(|key| schema.contains_key(*key)) && schema.get("type") != Some(&json!("object")) {
        return;
    }
    for key in ["oneOf", "anyOf"] {
        let choices = schema.get(key).and_then(Value::as_array);
        let restricts = |choice: &Value| {
            let keys = choice.as_object().filter(|choice| !choice.is_empty());
            keys.is_some_and(|choice| choice.keys().all(|key| RESTRICTIONS.contains(&key.as_str())))
        };
        let is_null = |choice: &&Value| choice["type"] == "null";
        let nullable = choices.is_some_and(|choices| choices.iter().any(|choice| is_null(&choice)));
        let mut others = choices
            .into_iter()
            .flatten()
            .filter(|choice| !is_null(choice))
            .peekable();
        if others.peek().is_some() && others.all(restricts) {
            schema.shift_remove(key);
            if nullable {
                schema.insert("type".to_owned(), json!(["object", "null"]));
            }
            let message = format!("`{key}` restricts which members an object has");
            notes.push((Code::StrayKeyword, join(at, key), message, "it is not checked"));
        }
    }
}

/// Makes a tuple a list of the types of its items.
fn tuple(schema: &mut Map<String, Value>, at: &str, notes: &mut Vec<Note>) {
    let of_draft_4 = schema.get("items").is_some_and(Value::is_array);
    let key = if of_draft_4 { "items" } else { "prefixItems" };
    let Some(Value::Array(mut types)) = schema.get(key).cloned() else {
        if schema.get("type") == Some(&json!("array")) && schema.get("items").is_none_or(|items| *items == json!(false))
        {
            schema.insert("items".to_owned(), json!({}));
        }
        return;
    };
    schema.shift_remove(key);
    let rest = schema.shift_remove(if of_draft_4 { "additionalItems" } else { "items" });
    match rest {
        // A list that may have further items of any type.
        None | Some(Value::Bool(true)) if schema.get("maxItems").is_none() => types = vec![json!({})],
        Some(rest @ Value::Object(_)) => types.push(rest),
        _ => {}
    }
    let mut distinct: Vec<Value> = Vec::new();
    for ty in types {
        if !distinct.contains(&ty) {
            distinct.push(ty);
        }
    }
    let scalars = distinct
        .iter()
        .all(|ty| ty["type"].is_string() || ty.get("$ref").is_some());
    let items = match distinct.as_slice() {
        [one] => one.clone(),
        _ if scalars && !distinct.is_empty() => json!({ "oneOf": distinct }),
        _ => json!({}),
    };
    if !schema.get("type").is_some_and(Value::is_array) {
        schema.insert("type".to_owned(), json!("array"));
    }
    let consequence = match items == json!({}) {
        true => "it is a list of any JSON",
        false => "it is a list of any of these types",
    };
    schema.insert("items".to_owned(), items);
    let message = "the items of a tuple have types of their own".to_owned();
    notes.push((Code::WrongKind, at.to_owned(), message, consequence));
}

/// Reads an object that has no members as any object.
fn members(schema: &mut Map<String, Value>, at: &str, notes: &mut Vec<Note>) {
    let declared = schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|all| !all.is_empty());
    let composed = ["allOf", "oneOf", "anyOf", "$ref"]
        .iter()
        .any(|key| schema.contains_key(*key));
    let in_composition = at
        .rsplit_once('/')
        .is_some_and(|(around, _)| around.ends_with("/allOf"));
    if schema.get("additionalProperties") == Some(&json!(false)) && !declared && !composed && !in_composition {
        schema.shift_remove("additionalProperties");
        let message = "an object that cannot have members".to_owned();
        let at = join(at, "additionalProperties");
        notes.push((
            Code::MemberlessObject,
            at,
            message,
            "it is read as an object with any members",
        ));
    }
    if !declared && !composed && !in_composition {
        // They say nothing of an object without properties.
        schema.shift_remove("properties");
        if schema.get("required") == Some(&json!([])) {
            schema.shift_remove("required");
        }
    }
}

/// Lists each value of an enum once; values of several types become a choice of enums.
fn values(schema: &mut Map<String, Value>, at: &str, notes: &mut Vec<Note>) {
    let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) else {
        return;
    };
    let mut distinct: Vec<Value> = Vec::new();
    for value in values.drain(..) {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    values.clone_from(&distinct);
    let is_boolean = |value: &Value| value.is_boolean() || value.is_null();
    if distinct.iter().all(is_boolean) && distinct.iter().any(Value::is_boolean) {
        schema.shift_remove("enum");
        let types = if distinct.contains(&Value::Null) {
            json!(["boolean", "null"])
        } else {
            json!("boolean")
        };
        schema.entry("type").or_insert(types);
        if distinct.iter().filter(|value| value.is_boolean()).count() < 2 {
            let message = "an enum of one boolean".to_owned();
            notes.push((Code::EnumType, join(at, "enum"), message, "it is read as any boolean"));
        }
        return;
    }
    if schema.get("type").is_some() {
        return;
    }
    if distinct.iter().any(|value| value.is_object() || value.is_array()) {
        return;
    }
    let mut choices = Vec::new();
    for (name, is_kind) in KINDS {
        let own: Vec<_> = distinct.iter().filter(|value| is_kind(value)).cloned().collect();
        match name {
            _ if own.is_empty() => {}
            "string" | "integer" => choices.push(json!({ "type": name, "enum": own })),
            _ => choices.push(json!({ "type": name })),
        }
    }
    let numbers = choices.iter().any(|choice| choice["type"] == "number");
    if choices.len() < 2 || numbers {
        return;
    }
    if distinct.contains(&Value::Null) {
        choices.push(json!({ "type": "null" }));
    }
    schema.shift_remove("enum");
    schema.insert("oneOf".to_owned(), Value::Array(choices));
}
