//! Swagger 2.0: a document gives the code of its form in OpenAPI 3.1, and messages show the author's text.

use serde_json::{Value, json};
use wearlab_codegen::{Diagnostics, Input, Profile};

const OLD: &str = include_str!("swagger/old.yaml");
const NEW: &str = include_str!("swagger/new.yaml");

/// The files of a third-party document: name and text.
fn files(text: &str) -> Vec<(String, String)> {
    let input = Input::new("it.yaml", text).with_profile(Profile::Tolerant);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    generated.files.into_iter().map(|file| (file.path, file.text)).collect()
}

fn notes(text: &str) -> Diagnostics {
    let input = Input::new("it.yaml", text).with_profile(Profile::Tolerant);
    input.check().unwrap_or_else(|error| panic!("{error}"))
}

/// The line and message of each note.
fn lines(notes: &Diagnostics) -> Vec<(usize, String)> {
    let list = notes.list().iter();
    list.map(|note| (notes.line_column(note.span.start).0, note.message.clone()))
        .collect()
}

/// A document with these members beside its first ones, in the lines from 4 on.
fn document(members: &str) -> String {
    format!("swagger: \"2.0\"\ninfo: {{ title: Shelter, version: \"1\" }}\nhost: api.example.com\n{members}")
}

#[test]
fn a_document_of_2_0_is_one_of_3_1() {
    let (old, new) = (files(OLD), files(NEW));
    assert_eq!(old.len(), new.len());
    for ((path, old), (other, new)) in old.iter().zip(&new) {
        assert_eq!(path, other);
        // The schemas of tools have the document's order of keys.
        if path.ends_with(".rs") && !path.starts_with("crates/mcp/") {
            assert_eq!(old, new, "{path}");
        } else if path.ends_with(".json") {
            // The order of keys may differ.
            let value = |text| serde_json::from_str::<Value>(text).expect("JSON");
            assert_eq!(value(old), value(new), "{path}");
        }
    }
    assert_eq!(lines(&notes(OLD)), [], "all of it has a form in 3.1");
    let strict = Input::new("it.yaml", OLD)
        .check()
        .expect_err("another version")
        .to_string();
    assert!(strict.contains("this is a Swagger 2.0 document"), "{strict}");
}

#[test]
fn a_moved_part_keeps_its_location() {
    let text = document(
        "paths:
  /pets:
    post:
      parameters:
        - { name: pet, in: body, schema: { $ref: '#/definitions/Absent' } }
        - { name: size, in: query, type: string, format: int-ish }
      responses:
        '201': { description: Created., schema: { $ref: '#/definitions/Pet' } }
definitions:
  Pet:
    type: object
    properties:
      size: { type: string, format: integer-ish }
",
    );
    let found = lines(&notes(&text));
    for (line, message) in [(8, "Absent"), (9, "int-ish"), (16, "integer-ish")] {
        let here = |(at, text): &(usize, String)| *at == line && text.contains(message);
        assert!(found.iter().any(here), "{message} of line {line} is not in {found:?}");
    }
}

#[test]
fn what_3_1_has_no_form_for_is_noted() {
    let text = document(
        "x-ms-paths: { /pets?all: {} }
paths:
  /pets:
    post:
      parameters:
        - { name: pet, in: body, schema: { type: object } }
        - { name: name, in: formData, type: string }
        - { name: ids, in: query, type: array, items: { type: string }, collectionFormat: tsv }
      responses: { '204': { description: Created. } }
    put:
      parameters:
        - { name: names, in: formData, type: array, items: { type: string }, collectionFormat: csv }
      responses: { '204': { description: Changed. } }
securityDefinitions:
  token: { type: oauth2, flow: device }
",
    );
    let notes = notes(&text);
    let noted = |line: usize, message: &str, consequence: &str| {
        let mut all = notes.list().iter();
        let found = all.any(|note| {
            note.code.as_str() == "swagger-part"
                && notes.line_column(note.span.start).0 == line
                && note.message.contains(message)
                && note.help.contains(consequence)
        });
        assert!(found, "{message} of line {line} is not in {notes}");
    };
    noted(4, "`x-ms-paths`", "operations are left out");
    noted(10, "one body", "left out");
    noted(11, "`collectionFormat: tsv`", "one text");
    noted(15, "`collectionFormat: csv`", "one text");
    noted(18, "flow", "`Bearer`");
}

#[test]
fn parts_of_other_files_are_converted() {
    let text = document(
        "paths:
  /pets:
    get:
      parameters:
        - { $ref: 'parts.yaml#/tags' }
      responses:
        '200': { $ref: 'parts.yaml#/pets' }
        default: { $ref: '#/responses/Missing' }
responses:
  Missing: { description: None., schema: { $ref: 'https://example.com/problem.yaml' } }
definitions:
  Pet: { type: object, properties: { id: { type: string } } }
",
    );
    let parts = "tags: { name: tags, in: query, type: array, items: { type: string } }
pets: { description: Pets., schema: { type: array, items: { $ref: '#/Pet' } } }
Pet: { type: object, required: [name], properties: { name: { type: string } } }
";
    let read = |name: &str| match name {
        "parts.yaml" => Ok(parts.to_owned()),
        other => Err(format!("there is no {other}")),
    };
    let input = Input::new("it.yaml", &text)
        .with_files(&read)
        .with_profile(Profile::Tolerant);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    let models = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models"));
    let models: String = models.map(|file| file.text.as_str()).collect();
    assert!(
        models.contains("pub struct Pet2 {"),
        "the other file has a `Pet` of its own: {models}"
    );
    let query = generated.files.iter().any(|file| file.text.contains("fn tags("));
    assert!(query, "the parameter of the other file is not there");
    // A URL is not read, which does not reject the document.
    let notes = generated.notes.to_string();
    assert!(
        notes.contains("note[reference-outside]") && notes.contains("it.yaml:13"),
        "{notes}"
    );
}

#[test]
fn hosts_and_schemes_are_urls() {
    let url = |members: &str| {
        let text = format!(
            "swagger: 2.0\ninfo: {{ title: Shelter }}\n{members}\npaths: {{ /a: {{ get: {{ responses: {{ '204': {{ description: Done. }} }} }} }} }}\n"
        );
        let bundle = files(&text)
            .into_iter()
            .find(|(path, _)| path.ends_with("openapi.json"));
        let bundle: Value = serde_json::from_str(&bundle.expect("the bundle").1).expect("JSON");
        bundle["servers"][0]["url"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(url("host: a.example"), "https://a.example");
    assert_eq!(url("host: a.example\nschemes: [http]\nbasePath: /"), "http://a.example");
    assert_eq!(url("host: 'https://a.example/'\nbasePath: v1"), "https://a.example/v1");
    assert_eq!(url("basePath: /api"), "http://localhost/api");
}

/// Replaces each value of a document in turn.
fn variants(value: &Value, wrong: &Value, visit: &mut impl FnMut(&Value)) {
    fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
        all.push(at.to_owned());
        let step = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        match value {
            Value::Object(members) => members.iter().for_each(|(key, value)| pointers(value, &step(key), all)),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(index, value)| pointers(value, &step(&index.to_string()), all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    pointers(value, "", &mut all);
    let mut value = value.clone();
    for pointer in all.iter().filter(|pointer| !pointer.is_empty()) {
        let Some(place) = value.pointer_mut(pointer) else {
            continue;
        };
        let right = std::mem::replace(place, wrong.clone());
        visit(&value);
        *value.pointer_mut(pointer).expect("the same place") = right;
    }
}

#[test]
fn values_of_wrong_kinds_are_noted_or_refused() {
    let document = Input::new("it.yaml", OLD)
        .parse()
        .unwrap_or_else(|error| panic!("{error}"));
    let mut count = 0;
    for wrong in [json!(null), json!("text"), json!([1]), json!({ "a": 1 })] {
        variants(&document, &wrong, &mut |value| {
            let text = value.to_string();
            let checked = Input::new("it.json", &text).with_profile(Profile::Tolerant).check();
            let (Ok(shown) | Err(shown)) = checked;
            let end = text.len();
            assert!(shown.list().iter().all(|shown| shown.span.end <= end), "{shown}");
            count += 1;
        });
    }
    assert!(count > 1000, "{count} variants");
}
