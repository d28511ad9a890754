//! Tests that each name of a document is in the generated code, or in a note.

use std::collections::BTreeSet;

use serde_json::Value;
use wearlab_codegen::{Generated, Input, Profile, parse};

use crate::record;

/// Documents beside those of the record.
const DOCUMENTS: [(&str, &str); 5] = [
    (
        "a base that requires what its child declares",
        "openapi: 3.0.3
info: { title: Losses, version: '1' }
paths:
  /dogs:
    get:
      operationId: listDogs
      responses:
        '200':
          description: Dogs.
          headers: { X-Total-Count: { schema: { type: integer } } }
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Dog' } } } }
components:
  schemas:
    Pet: { type: object, required: [petType, barkLevel], properties: { petType: { type: string } } }
    Dog:
      allOf:
        - $ref: '#/components/schemas/Pet'
        - { type: object, properties: { barkLevel: { type: integer }, breed: { enum: [poodle, husky, husky] } } }
",
    ),
    (
        "several media types of a body",
        "openapi: 3.0.3
info: { title: Losses, version: '1' }
paths:
  /photos:
    post:
      operationId: uploadPhoto
      parameters: [{ name: albumName, in: query, schema: { type: string, enum: [spring, autumn] } }]
      requestBody:
        content:
          application/json: { schema: { type: object, properties: { photoUrl: { type: string } } } }
          image/png: { schema: { type: string, format: binary } }
      responses: { default: { description: A photo., content: { application/json: {} } } }
",
    ),
    (
        "null beside a type, and an empty choice",
        "openapi: 3.0.3
info: { title: Losses, version: '1' }
paths:
  /all:
    put:
      operationId: putAll
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/All' } } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    All:
      type: object
      additionalProperties: false
      properties:
        first: { anyOf: [{ $ref: '#/components/schemas/One' }, { nullable: true }] }
        second: { anyOf: [{ $ref: '#/components/schemas/One' }, { type: object, properties: { inner: { type: string } } }] }
        third: { $ref: '#/components/schemas/One/properties/oneName' }
        fourth: { type: object, additionalProperties: false }
        fifth: { not: { type: string } }
    One: { type: object, properties: { oneName: { type: string, enum: [north, south] } } }
",
    ),
    (
        "maps, conditions and requirements",
        "openapi: 3.1.0
info: { title: Losses, version: '1' }
paths:
  /rules:
    put:
      operationId: putRules
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Rules' } } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    Rules:
      type: object
      properties:
        byId: { type: object, propertyNames: { type: string, format: uuid }, additionalProperties: { type: integer } }
        start: { type: string }
        end: { type: string }
      dependentRequired: { start: [end] }
      if: { required: [start] }
      then: { required: [end] }
",
    ),
    (
        "a merge patch",
        "openapi: 3.0.3
info: { title: Losses, version: '1' }
paths:
  /pet:
    patch:
      operationId: patchPet
      requestBody: { content: { application/merge-patch+json: { schema: { $ref: '#/components/schemas/Patch' } } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    Patch:
      type: object
      properties: { nick: { type: string, nullable: true }, name: { type: string } }
",
    ),
];

/// Adds the names of a part of a document: of operations, parameters, properties and headers, and the values of enums.
fn names(key: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(id) = members.get("operationId").and_then(Value::as_str) {
                found.insert(id.to_owned());
            }
            if members.contains_key("in")
                && let Some(name) = members.get("name").and_then(Value::as_str)
            {
                found.insert(name.to_owned());
            }
            if ["properties", "headers"].contains(&key) {
                found.extend(members.keys().cloned());
            }
            members.iter().for_each(|(key, member)| names(key, member, found));
        }
        Value::Array(items) => {
            if key == "enum" {
                found.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            items.iter().for_each(|item| names("", item, found));
        }
        _ => {}
    }
}

/// The names that are neither in the code nor in a note. A name of the wire is a text or a field; that of an operation
/// is a method.
fn lost(text: &str, generated: &Generated) -> Vec<String> {
    let document = parse("it.yaml", text).expect("a document");
    let mut all = BTreeSet::new();
    names("", &document, &mut all);
    let rust = generated.files.iter().filter(|file| file.path.ends_with(".rs"));
    let code: String = rust.map(|file| file.text.as_str()).collect();
    // Grouped ones name the operations.
    let notes = format!("{}{}", generated.notes, generated.notes.grouped());
    let snake = |name: &str| {
        name.chars().fold(String::new(), |mut out, c| {
            if c.is_uppercase() {
                out.push('_');
            }
            out.extend(c.to_lowercase());
            out
        })
    };
    let is_kept = |name: &String| {
        code.contains(&format!("\"{name}\""))
            || code.contains(&format!("\"{}\"", name.to_lowercase()))
            || code.contains(&format!("pub {name}: "))
            || code.contains(&format!("pub fn {}(", snake(name)))
            || notes.contains(name.as_str())
    };
    all.into_iter().filter(|name| !is_kept(name)).collect()
}

#[test]
fn each_name_is_in_the_code_or_in_a_note() {
    let own = DOCUMENTS.map(|(name, text)| {
        let generated = Input::new("it.yaml", text).with_profile(Profile::Tolerant).generate();
        let generated = generated.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name.to_owned(), text.to_owned(), generated)
    });
    let reported = record::cases().map(|case| (case.construct.to_owned(), case.text(), case.generated()));
    let mut faults = Vec::new();
    for (name, text, generated) in own.into_iter().chain(reported) {
        let lost = lost(&text, &generated);
        if !lost.is_empty() {
            faults.push(format!("{name}: {} of:\n{text}\n{}", lost.join(", "), generated.notes));
        }
    }
    assert!(faults.is_empty(), "lost without a note:\n{}", faults.join("\n"));
}

/// The code of one of the documents.
fn code(index: usize) -> String {
    let (_, text) = DOCUMENTS[index];
    let generated = Input::new("it.yaml", text).with_profile(Profile::Tolerant).generate();
    let generated = generated.unwrap_or_else(|error| panic!("{error}"));
    let models = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models"));
    models.map(|file| file.text.as_str()).collect()
}

#[test]
fn a_name_is_required_where_it_is_declared() {
    let code = code(0);
    assert!(code.contains("pub bark_level: i64"), "{code}");
    assert!(code.contains("pub pet_type: String"), "{code}");
}

#[test]
fn a_choice_that_only_allows_null_is_an_option() {
    let code = code(2);
    assert!(code.contains("pub first: Option<One>"), "{code}");
    assert!(code.contains("pub fourth: JsonObject"), "{code}");
    assert!(code.contains("pub enum AllSecond "), "{code}");
}

#[test]
fn conditions_leave_the_object() {
    let code = code(3);
    assert!(code.contains("pub struct Rules "), "{code}");
    assert!(code.contains("pub by_id: BTreeMap<String, i64>"), "{code}");
}

#[test]
fn null_in_a_merge_patch_differs_from_absence() {
    let code = code(4);
    assert!(code.contains("pub nick: Option<Option<String>>"), "{code}");
    assert!(code.contains("pub name: Option<String>"), "{code}");
}
