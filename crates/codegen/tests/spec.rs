//! The project's own document: it compiles, it is complete, and its examples match its schemas.

use std::sync::LazyLock;

use crate::project;
use serde_json::{Value, json};
use wearlab_codegen::Generated;

const FILE: &str = "spec/openapi.yaml";
static SPEC: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));

fn generated() -> Generated {
    project::with(FILE, &SPEC, |input| {
        input.generate().unwrap_or_else(|error| panic!("{error}"))
    })
}

/// Generated code, once for all tests: it takes a second and a half.
static GENERATED: LazyLock<Generated> = LazyLock::new(generated);

/// The served document.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let json = GENERATED.files.iter().find(|file| file.path.ends_with("openapi.json"));
    serde_json::from_str(&json.expect("the document as JSON").text).expect("JSON")
});

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

#[test]
fn two_runs_give_the_same_bytes() {
    let again = generated();
    assert_eq!(GENERATED.files, again.files);
    assert_eq!(GENERATED.assumptions, again.assumptions);
}

/// Calls `visit` with every schema that has an example, the example and its pointer.
fn examples(document: &Value, visit: &mut impl FnMut(&Value, &Value, String)) {
    fn walk(value: &Value, place: &str, visit: &mut impl FnMut(&Value, &Value, String)) {
        if let Some(schema) = value.get("schema")
            && let Some(example) = value.get("example")
        {
            visit(schema, example, format!("{place}/example"));
        }
        // A schema's own examples, beside its definition.
        if value.get("type").is_some() || value.get("$ref").is_some() {
            for (index, example) in value["examples"].as_array().into_iter().flatten().enumerate() {
                visit(value, example, format!("{place}/examples/{index}"));
            }
            if let Some(default) = value.get("default") {
                visit(value, default, format!("{place}/default"));
            }
        }
        match value {
            Value::Object(_) => {
                for (key, member) in members(value).filter(|(key, _)| !["example", "examples"].contains(&key.as_str()))
                {
                    walk(member, &format!("{place}/{key}"), visit);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{place}/{index}"), visit);
                }
            }
            _ => {}
        }
    }
    walk(document, "", visit);
}

#[test]
fn examples_are_valid_against_their_schemas() {
    let document = &*DOCUMENT;
    // Under one validator, which reads the schemas that they refer to once: a list of examples, each with its own schema.
    let (mut schemas, mut values, mut places) = (Vec::new(), Vec::new(), Vec::new());
    examples(document, &mut |schema, example, place| {
        schemas.push(schema.clone());
        values.push(example.clone());
        places.push(place);
    });
    let count = places.len();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "components": document["components"],
        "prefixItems": schemas,
    });
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap_or_else(|error| panic!("{error}"));
    let values = Value::Array(values);
    let wrong: Vec<_> = validator
        .iter_errors(&values)
        .map(|error| {
            let at = error.instance_path().to_string();
            let number = at.split('/').nth(1).and_then(|number| number.parse::<usize>().ok());
            let place = number.and_then(|number| places.get(number)).map_or("?", String::as_str);
            format!("{place}: {at}: {error}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} examples were found");
}

const METHODS: [&str; 7] = ["get", "put", "post", "patch", "delete", "head", "options"];

/// The operations of a document, each with its path and its method.
fn operations(document: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let methods = |(path, item)| {
        let operations = members(item).filter(|(method, _)| METHODS.contains(&method.as_str()));
        operations.map(move |(method, operation)| (path, method, operation))
    };
    members(&document["paths"]).flat_map(methods)
}

#[test]
fn every_operation_and_schema_is_described_and_has_an_example() {
    let document = &*DOCUMENT;
    let mut missing = Vec::new();
    let mut need = |place: String, value: &Value, keys: &[&str]| {
        for key in keys {
            if value.pointer(key).is_none_or(|text| text.as_str() == Some("")) {
                missing.push(format!("{place}: {key}"));
            }
        }
    };
    for (path, method, operation) in operations(document) {
        let at = format!("{method} {path}");
        need(at.clone(), operation, &["/operationId", "/summary", "/description"]);
        // Of lines, the type of a line has the example; of bytes there is none; and some responses have no body.
        let success = ["200", "201", "202"]
            .into_iter()
            .find(|status| operation["responses"].get(status).is_some());
        let content = success.map(|status| format!("/responses/{status}/content"));
        let has = |kind: &str| {
            content
                .as_ref()
                .is_some_and(|at| operation.pointer(&format!("{at}/{kind}")).is_some())
        };
        match &content {
            Some(content) if !has("application~1x-ndjson") && !has("application~1pdf") => {
                let json = ["application~1fhir+json", "application~1json"];
                let kind = json.into_iter().find(|kind| has(kind)).unwrap_or("application~1json");
                need(at, operation, &[&format!("{content}/{kind}/example")]);
            }
            Some(_) => {}
            None => assert!(operation["responses"].get("204").is_some(), "{at} has no success"),
        }
    }
    for (name, webhook) in members(&document["components"]["pathItems"]) {
        let example = "/requestBody/content/application~1json/example";
        need(
            name.clone(),
            &webhook["post"],
            &["/operationId", "/summary", "/description", example],
        );
    }
    for (name, schema) in members(&document["components"]["schemas"]) {
        need(name.clone(), schema, &["/description", "/examples/0"]);
        for (property, schema) in members(&schema["properties"]) {
            need(format!("{name}.{property}"), schema, &["/description"]);
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn statuses_of_the_generated_server_are_documented() {
    let document = &*DOCUMENT;
    let mut missing = Vec::new();
    for (path, method, operation) in operations(document) {
        let has_parameters = [&document["paths"][path]["parameters"], &operation["parameters"]]
            .iter()
            .filter_map(|list| list.as_array())
            .flatten()
            // The middleware evaluates conditions: their values are never rejected.
            .any(|parameter| parameter["$ref"] != "#/components/parameters/IfNoneMatch");
        let responses = &operation["responses"];
        // No credential; another `Accept`; parameters that cannot be read.
        // A body of another media type.
        let has_body = operation.get("requestBody").is_some();
        // A completed write is not a failure: one whose response is not acceptable is committed.
        let reads = method == "get"
            || operation
                .pointer("/responses/200/content/application~1x-ndjson")
                .is_some();
        let own = ["401"]
            .into_iter()
            .chain(reads.then_some("406"))
            .chain(has_parameters.then_some("422"))
            .chain(has_body.then_some("415"));
        for status in own.filter(|status| responses.get(status).is_none() && responses.get("4XX").is_none()) {
            missing.push(format!("{method} {path}: {status}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_interface_is_covered() {
    let document = &*DOCUMENT;
    assert!(operations(document).count() > 40);
    assert!(members(&document["webhooks"]).count() >= 11);
    assert_eq!(members(&document["components"]["securitySchemes"]).count(), 3);
    let values = |name: &str| {
        let schema = &document["components"]["schemas"][name];
        schema["x-extensible-enum"].as_array().map_or(0, Vec::len)
    };
    for (name, count) in [
        ("DeviceSourceType", 16),
        ("ProviderAuthType", 6),
        ("ProviderSourceType", 5),
        ("OAuthProviderSlug", 16),
    ] {
        assert_eq!(values(name), count, "{name}");
    }
    // Others may be added.
    assert!(values("ResourceName") >= 68);
}

#[test]
fn every_choice_is_in_the_table() {
    let document = project::with(FILE, &SPEC, |input| input.parse()).unwrap_or_else(|error| panic!("{error}"));
    let marks = document.to_string().matches("\"x-assumption\":").count();
    let rows = GENERATED.assumptions.lines().count() - 2;
    assert_eq!(rows, marks);
}
