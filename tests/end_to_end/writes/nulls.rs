//! Null for optional members of requests: clients in other languages send it.

use serde_json::Value;
use wearlab_tests::owners::owners;
use wearlab_tests::write_requests::WriteRequest;
use wearlab_tests::{Running, writes};

fn document() -> Value {
    serde_json::from_str(include_str!("../../../crates/server/src/generated/openapi.json")).expect("the document")
}

/// Returns the target of a reference, or the schema beside null.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return resolved(document, document.pointer(&reference[1..]).expect("a schema"));
    }
    let choices = schema["oneOf"].as_array();
    let mut choices = choices.into_iter().flatten().filter(|choice| choice["type"] != "null");
    match (choices.next(), choices.next()) {
        (Some(only), None) => resolved(document, only),
        _ => schema,
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    schema["required"]
        .as_array()
        .is_some_and(|all| all.iter().any(|one| one == name))
}

fn body_of<'d>(document: &'d Value, path: &str, method: &str) -> Option<&'d Value> {
    let body = &document["paths"][path][method.to_lowercase()]["requestBody"]["content"]["application/json"];
    body.get("schema")
}

/// Adds null for each missing optional member of an object, at any depth.
fn add_nulls(document: &Value, schema: &Value, value: &mut Value) {
    let schema = resolved(document, schema);
    match value {
        Value::Object(members) => {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                match members.get_mut(name) {
                    Some(member) => add_nulls(document, property, member),
                    None if is_required(schema, name) => {}
                    None => drop(members.insert(name.clone(), Value::Null)),
                }
            }
        }
        Value::Array(items) => {
            let of = &schema["items"];
            items.iter_mut().for_each(|item| add_nulls(document, of, item));
        }
        _ => {}
    }
}

#[tokio::test]
async fn null_is_taken_for_all_that_a_write_need_not_have() {
    let running = Running::start(12).await;
    let owners = owners(&running).await;
    let document = document();
    let mut nulls = 0;
    for operation in writes() {
        let mut request = WriteRequest::new(&running, &owners[0], operation).await;
        let schema = body_of(&document, operation.path, operation.method.as_str());
        let (Some(schema), Some(body)) = (schema, &mut request.body) else {
            continue;
        };
        let before = body.clone();
        add_nulls(&document, schema, body);
        nulls += usize::from(*body != before);
        let response = request
            .with(&[request.key(&owners[0])])
            .send()
            .await
            .expect("a response");
        let status = response.status();
        let text = response.text().await.expect("text");
        assert!(status.is_success(), "{}: {status} {text}", operation.id);
    }
    assert!(nulls > 5, "{nulls}");
}

/// Every optional property of a request schema is nullable, or has a default.
#[test]
fn no_optional_property_of_a_request_refuses_null() {
    let document = document();
    let (mut pending, mut seen, mut refusing) = (Vec::new(), Vec::new(), Vec::new());
    for operation in writes() {
        pending.extend(body_of(&document, operation.path, operation.method.as_str()));
    }
    while let Some(schema) = pending.pop() {
        let schema = resolved(&document, schema);
        if seen.iter().any(|known| std::ptr::eq(*known, schema)) {
            continue;
        }
        seen.push(schema);
        pending.extend(schema.get("items"));
        pending.extend(schema.get("additionalProperties").filter(|values| values.is_object()));
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            pending.push(property);
            let is_null = |one: &Value| *one == "null" || one["type"] == "null";
            let takes_null = [&property["type"], &property["oneOf"]]
                .iter()
                .any(|list| list.as_array().is_some_and(|list| list.iter().any(is_null)));
            if !is_required(schema, name) && !takes_null && property.get("default").is_none() {
                refusing.push(name.clone());
            }
        }
    }
    assert!(seen.len() > 20, "{}", seen.len());
    assert_eq!(refusing, Vec::<String>::new());
}
