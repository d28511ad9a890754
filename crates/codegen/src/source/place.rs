//! Names of the parts of a document, for notes: an operation with its parameter, a schema with its property.

use serde_json::Value;

use super::Part;
use super::location::key_of;

/// The part of a document at a pointer, such as `list_pets: limit` or `Pet.name`. Empty for the document itself.
pub(crate) fn place(root: &Value, pointer: &str) -> String {
    let (mut part, mut value) = (Part::Document, root);
    let (mut owner, mut names) = (String::new(), Vec::new());
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        let key = key_of(step);
        let inner = part.member(&key);
        value = match value {
            Value::Array(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)),
            value => value.get(&key),
        }
        .unwrap_or(&Value::Null);
        match (part, inner) {
            (Part::Each(Part::PathItem), _) => {
                owner.clone_from(&key);
                path = key;
            }
            (Part::PathItem, Part::Operation) => {
                let id = value["operationId"].as_str().map(str::to_owned);
                owner = id.unwrap_or_else(|| format!("{} {path}", key.to_uppercase()));
            }
            (_, Part::Parameter) => names.push(value["name"].as_str().unwrap_or(&key).to_owned()),
            (Part::Each(Part::Response), _) if !owner.is_empty() => names.push(format!("response {key}")),
            (Part::Operation, Part::RequestBody) => names.push("body".to_owned()),
            (Part::Each(Part::Header | Part::Response | Part::SecurityScheme | Part::RequestBody), _) => {
                names.push(key)
            }
            (Part::Each(Part::Schema), Part::Schema) if owner.is_empty() && names.is_empty() => owner = key,
            (Part::Each(Part::Schema), Part::Schema) if key.parse::<usize>().is_err() => names.push(key),
            _ => {}
        }
        part = inner;
    }
    let schema = pointer.starts_with("/components/schemas/");
    match (owner.is_empty(), names.is_empty()) {
        (true, _) => names.join(": "),
        (false, true) => owner,
        (false, false) => format!(
            "{owner}{}{}",
            if schema { "." } else { ": " },
            names.join(if schema { "." } else { ": " })
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::place;

    #[test]
    fn a_part_has_the_name_of_its_operation_or_schema() {
        let root = json!({
            "paths": { "/pets": { "get": {
                "operationId": "list_pets",
                "parameters": [{ "name": "limit", "in": "query" }],
                "responses": { "200": { "headers": { "x-next": {} } } },
            } } },
            "components": { "schemas": { "Pet": { "properties": { "name": {} } } } },
        });
        let parts = [
            ("/paths/~1pets/get/parameters/0/schema/maximum", "list_pets: limit"),
            (
                "/paths/~1pets/get/responses/200/headers/x-next/schema",
                "list_pets: response 200: x-next",
            ),
            ("/paths/~1pets/put", "PUT /pets"),
            ("/components/schemas/Pet/properties/name/format", "Pet.name"),
            ("/components/schemas/Pet", "Pet"),
            ("/info", ""),
        ];
        for (pointer, expected) in parts {
            assert_eq!(place(&root, pointer), expected, "{pointer}");
        }
    }
}
