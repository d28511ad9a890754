//! The served document avoids constructs that third-party generators mishandle: each test is about a failure of one of those
//! that `.ci/generators` runs.

use std::sync::LazyLock;

use crate::project;
use serde_json::{Value, json};

static SPEC: LazyLock<String> = LazyLock::new(|| project::text(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));
const SMALL: &str = include_str!("small.yaml");

/// The file of the server crate with this name that a document is compiled into.
fn file(document: &str, name: &str) -> String {
    let generated = project::with("openapi.yaml", document, |input| input.generate());
    let generated = generated.unwrap_or_else(|error| panic!("{error}"));
    let file = generated
        .files
        .into_iter()
        .find(|file| file.path.ends_with(&format!("server/src/generated/{name}")));
    file.unwrap_or_else(|| panic!("no {name}")).text
}

fn bundle(document: &str) -> Value {
    serde_json::from_str(&file(document, "openapi.json")).expect("JSON")
}

/// The project's own, once for all tests: generating takes a second and a half.
static OWN: LazyLock<Value> = LazyLock::new(|| bundle(&SPEC));

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Calls `visit` with every object of the document outside of examples, and its place.
fn objects(value: &Value, place: &str, visit: &mut impl FnMut(&Value, &str)) {
    match value {
        Value::Object(object) => {
            visit(value, place);
            for (key, member) in object {
                if !["example", "examples", "default"].contains(&key.as_str()) {
                    objects(member, &format!("{place}/{key}"), visit);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{place}/{index}"), visit);
            }
        }
        _ => {}
    }
}

#[test]
fn titles_of_schemas_are_short_names() {
    // openapi-python-client names files after titles, openapi-generator classes.
    let mut wrong = Vec::new();
    objects(&OWN["components"], "", &mut |object, place| {
        let title = object["title"].as_str().unwrap_or_default();
        if !title.chars().all(char::is_alphanumeric) || title.len() > 40 {
            wrong.push(format!("{place}: {title}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn keys_of_webhooks_have_no_braces_and_their_event_types_are_said() {
    // openapi-generator reads braces as undescribed path parameters, and rejects the document.
    let document = &*OWN;
    let mut types = Vec::new();
    for (key, webhook) in members(&document["webhooks"]) {
        assert!(key.chars().all(|c| c.is_alphanumeric() || c == '_'), "{key}");
        // openapi-generator's output for an inline webhook does not compile.
        let item = webhook["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        let item = item
            .and_then(|target| document.pointer(target))
            .unwrap_or_else(|| panic!("{key} leads nowhere"));
        assert_eq!(item["post"]["operationId"], json!(key));
        types.push(item["post"]["x-event-type"].as_str().expect("an event type").to_owned());
    }
    assert!(types.len() >= 11, "{types:?}");
    for known in ["daily.data.{resource}.created", "provider.connection.created"] {
        assert!(types.iter().any(|found| found == known), "{known} is none of {types:?}");
    }
}

#[test]
fn classes_of_server_errors_are_written_out() {
    // orval does not support 5XX in the clients that read `status` as a number.
    let mut count = 0;
    for (path, item) in members(&OWN["paths"]) {
        for (method, operation) in members(item).filter(|(_, part)| part.get("responses").is_some()) {
            count += 1;
            let responses = &operation["responses"];
            assert!(responses["500"].is_object(), "{method} {path} has no 500");
            for (status, _) in members(responses) {
                assert!(status.chars().all(|c| c.is_ascii_digit()), "{path} has {status}");
            }
        }
    }
    assert!(count > 30, "{count} operations");
}

#[test]
fn open_enums_show_their_values_and_take_any_string() {
    let document = &*OWN;
    let schemas = &document["components"]["schemas"];
    let mut found = Vec::new();
    for (name, schema) in members(schemas) {
        let Some(values) = schema.get("x-extensible-enum") else {
            continue;
        };
        found.push(name.as_str());
        let known = format!("Known{name}");
        assert_eq!(
            schema["anyOf"],
            json!([{"$ref": format!("#/components/schemas/{known}")}, {"type": "string"}]),
            "{name}"
        );
        assert_eq!(schema["type"], Value::Null, "{name}");
        assert_eq!(schemas[&known]["enum"], *values, "{known}");
        assert_eq!(schemas[&known]["type"], "string", "{known}");
        assert!(schemas[&known].get("x-extensible-enum").is_none(), "{known}");
    }
    assert!(found.len() >= 11 && found.contains(&"ResourceName"), "{found:?}");
}

#[test]
fn servers_are_plain_urls() {
    // hey-api makes a type of a URL with variables that no URL has; openapi-generator sends requests to a path's server
    // regardless of the client's settings.
    let document = &*OWN;
    assert_eq!(document["servers"][0]["url"], "http://127.0.0.1:8080");
    let mut wrong = Vec::new();
    objects(document, "", &mut |object, place| {
        if !place.is_empty() && object.get("servers").is_some() || object.get("variables").is_some() {
            wrong.push(place.to_owned());
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_server_of_a_path_that_is_another_stays() {
    let anchor = "paths:\n  /";
    let (before, after) = SMALL.split_once(anchor).expect("a path");
    let (path, after) = after.split_once(":\n").expect("a path item");
    let servers =
        "    servers: [{url: \"{other_url}\", variables: {other_url: {default: \"http://other.example\"}}}]\n";
    let document = bundle(&format!("{before}{anchor}{path}:\n{servers}{after}"));
    assert_eq!(
        document["paths"][format!("/{path}")]["servers"],
        json!([{"url": "http://other.example"}])
    );
}

#[test]
fn a_schema_that_has_the_name_of_known_values_stays() {
    let anchor = "  schemas:\n";
    let own = "    Tone:\n      x-tag: things\n      type: string\n      x-extensible-enum: [low, high]\n    KnownTone:\n      x-tag: things\n      type: string\n      enum: [deep]\n";
    let (before, after) = SMALL.split_once(anchor).expect("schemas");
    let schemas = &bundle(&format!("{before}{anchor}{own}{after}"))["components"]["schemas"];
    assert_eq!(schemas["KnownTone"]["enum"], json!(["deep"]));
    assert_eq!(
        schemas["Tone"]["anyOf"][0]["$ref"],
        "#/components/schemas/KnownToneValue"
    );
    assert_eq!(schemas["KnownToneValue"]["enum"], json!(["low", "high"]));
}
