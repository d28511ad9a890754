//! A union of third-party documents whose choices are all enums or constants of strings: one enum.

use serde_json::{Map, Value, json};

use crate::source::{Part, walk};

/// Rewrites all such unions.
pub(super) fn join(root: &mut Value) {
    walk(Part::Document, root, &mut |part, members| {
        if part == Part::Schema {
            schema(members);
        }
    });
}

fn schema(schema: &mut Map<String, Value>) {
    let Some(key) = ["oneOf", "anyOf"].into_iter().find(|key| schema.contains_key(*key)) else {
        return;
    };
    if ["enum", "const", "properties", "items", "allOf", "$ref", "discriminator"]
        .iter()
        .any(|key| schema.contains_key(*key))
    {
        return;
    }
    let Some(choices) = schema[key].as_array() else { return };
    let (mut values, mut null) = (Vec::new(), allows_null(schema.get("type")));
    let mut enums = 0;
    for choice in choices {
        if choice["type"] == "null" {
            null = true;
            continue;
        }
        let Some(own) = texts(choice) else { return };
        null |= allows_null(choice.get("type"));
        enums += 1;
        for value in own {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    if values.is_empty() || enums < 2 {
        return;
    }
    schema.shift_remove(key);
    schema.insert(
        "type".to_owned(),
        if null {
            json!(["string", "null"])
        } else {
            json!("string")
        },
    );
    schema.insert("enum".to_owned(), Value::Array(values));
}

/// Returns whether a list of types has null.
fn allows_null(ty: Option<&Value>) -> bool {
    let types = ty.and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|name| name == "null"))
}

/// The values of a choice, if they are strings.
fn texts(choice: &Value) -> Option<Vec<Value>> {
    // They would be lost.
    let own = ["x-extensible-enum", "x-rust-names"];
    let known = ["type", "enum", "const", "title", "description", "deprecated"];
    let members = choice.as_object()?;
    let plain = members
        .keys()
        .all(|key| known.contains(&key.as_str()) || key.starts_with("x-") && !own.contains(&key.as_str()));
    let values = match (choice.get("enum"), choice.get("const")) {
        (Some(values), None) => values.as_array()?.clone(),
        (None, Some(value)) => vec![value.clone()],
        _ => return None,
    };
    (plain && values.iter().all(Value::is_string)).then_some(values)
}
