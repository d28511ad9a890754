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
    let (mut values, mut null) = (Vec::new(), false);
    for choice in choices {
        if choice["type"] == "null" {
            null = true;
            continue;
        }
        let Some(own) = texts(choice) else { return };
        for value in own {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    if values.is_empty() || choices.len() - usize::from(null) < 2 {
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

/// The values of a choice, if they are strings.
fn texts(choice: &Value) -> Option<Vec<Value>> {
    let known = ["type", "enum", "const", "title", "description", "deprecated"];
    let members = choice.as_object()?;
    let plain = members
        .keys()
        .all(|key| known.contains(&key.as_str()) || key.starts_with("x-"));
    let values = match (choice.get("enum"), choice.get("const")) {
        (Some(values), None) => values.as_array()?.clone(),
        (None, Some(value)) => vec![value.clone()],
        _ => return None,
    };
    (plain && values.iter().all(Value::is_string)).then_some(values)
}
