//! Equivalent forms give equal code, and third-party documents are read as far as they are supported.

use wearlab_codegen::{Input, Measure, Profile, generate};

const SMALL: &str = include_str!("small.yaml");

/// The small document with one text replaced.
fn edited(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "the document has no {from:?}");
    SMALL.replacen(from, to, 1)
}

/// The Rust files of a document.
fn rust(text: &str) -> Vec<(String, String)> {
    let generated = generate("it.yaml", text).unwrap_or_else(|error| panic!("{error}"));
    let files = generated.files.into_iter().filter(|file| file.path.ends_with(".rs"));
    files.map(|file| (file.path, file.text)).collect()
}

#[test]
fn an_inline_schema_is_one_named_after_its_place() {
    let property = "        kind:\n          $ref: \"#/components/schemas/Kind\"\n";
    let inline = format!("{property}        size: {{ type: object, properties: {{ width: {{ type: integer }} }} }}\n");
    let named = format!("{property}        size: {{ $ref: \"#/components/schemas/ThingSize\" }}\n");
    let schema = "    ThingSize: { x-tag: things, type: object, properties: { width: { type: integer } } }\n";
    assert_eq!(
        rust(&edited(property, &inline)),
        rust(&format!("{}{schema}", edited(property, &named))),
    );
}

#[test]
fn the_security_of_the_document_is_that_of_operations_without_their_own() {
    let own = "      security:\n        - key: []\n";
    let default = edited("paths:\n", "security:\n  - key: []\npaths:\n").replace(own, "");
    assert!(!default.contains(own));
    assert_eq!(rust(&default), rust(SMALL));
}

/// A third-party document: its coverage, and the notes.
fn tolerated(text: &str) -> (usize, usize, String) {
    let input = Input::new("it.json", text).with_profile(Profile::Tolerant);
    let coverage = input.coverage().unwrap_or_else(|error| panic!("{error}"));
    let notes = input.check().unwrap_or_else(|error| panic!("{error}"));
    {
        let generated = coverage.share(Measure::Generated);
        (generated.all, generated.kept, notes.to_string())
    }
}

const OTHERS: &str = r##"{
  "openapi": "3.0.3",
  "info": { "title": "Pets", "x-logo": "pets.png" },
  "security": [{ "key": [] }],
  "paths": {
    "/pets/{petId}": {
      "get": {
        "operationId": "Pets.getPet",
        "parameters": [{ "name": "petId", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "200": { "description": "A pet.", "content": { "application/json": {
          "schema": { "$ref": "#/components/schemas/pet" }, "example": { "name": "Rex" } } } },
          "default": { "description": "Wrong.", "content": { "text/plain": { "schema": { "type": "string" } } } } }
      },
      "trace": { "responses": { "200": { "description": "Traced." } } }
    }
  },
  "webhooks": { "pet.added": { "post": { "responses": { "200": { "description": "Received." } } } } },
  "components": {
    "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "x-key" } },
    "schemas": { "pet": { "type": "object", "required": ["name"], "properties": {
      "name": { "type": "string", "example": "Rex" },
      "owner": { "nullable": true, "type": "object", "properties": { "name": { "type": "string" } } },
      "shape": { "not": { "type": "string" } }
    } } }
  }
}"##;

#[test]
fn a_document_of_others_is_read_as_far_as_it_is_supported() {
    let (operations, supported, notes) = tolerated(OTHERS);
    assert_eq!((operations, supported), (2, 1), "{notes}");
    assert!(notes.contains("note[webhook-profile]"), "{notes}");
    assert!(
        notes.contains("--> it.json:14:7"),
        "the place of `trace` is missing: {notes}"
    );
    let input = Input::new("it.json", OTHERS).with_profile(Profile::Tolerant);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    let models = generated
        .files
        .iter()
        .find(|file| file.path.ends_with("models/src/generated/pets.rs"));
    let text = &models.expect("the models of the derived tag").text;
    for part in ["pub struct Pet ", "pub owner: Option<PetOwner>", "pub struct PetOwner "] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let client = generated
        .files
        .iter()
        .any(|file| file.text.contains("fn pets_get_pet("));
    assert!(client, "the id of the operation is in another case");
}

#[test]
fn tags_of_others_with_the_same_name_in_rust_are_one() {
    let text = r##"{ "openapi": "3.0.3", "info": { "title": "Levels" }, "paths": {
        "/one": { "get": { "tags": ["Level1"], "responses": { "204": { "description": "Done." } } } },
        "/other": { "get": { "tags": ["Level 1"], "responses": { "204": { "description": "Done." } } } }
    } }"##;
    let input = Input::new("it.json", text).with_profile(Profile::Tolerant);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    let server = |name: &str| {
        let path = format!("crates/server/src/generated/{name}.rs");
        generated.files.iter().find(|file| file.path == path)
    };
    let level = &server("level1").expect("the file of the tag").text;
    assert!(level.contains("pub trait Level1Api: Auth {"), "{level}");
    assert_eq!(level.matches("pub(super) async fn ").count(), 2, "{level}");
    assert!(server("level_1").is_none());
}

#[test]
fn what_yaml_parsers_read_differently_is_read_as_1_2() {
    let text = "openapi: 3.0.3\ninfo: { title: Pets }\npaths:\n  /pets:\n    get:\n      responses:\n        200:\n          \
        description: All.\n          content: { application/json: { schema: { $ref: \"#/components/schemas/Answer\" } } }\n\
        components:\n  schemas:\n    Answer:\n      type: object\n      required: [y, on, size]\n      properties:\n        \
        y: { type: string, enum: [yes, no, 1_000] }\n        on: { type: boolean, default: True }\n        \
        size: { type: integer, maximum: 0x10 }\n";
    let (operations, supported, notes) = tolerated(text);
    assert_eq!((operations, supported), (1, 1), "{notes}");
    for part in [
        "the key `on`",
        "`yes` means",
        "`no` means",
        "`1_000` means",
        "`True` means",
        "`0x10`",
    ] {
        assert!(notes.contains(part), "{part} is not in {notes}");
    }
    assert!(notes.contains("it is read as YAML 1.2 has it"), "{notes}");
    let value = Input::new("it.yaml", text).with_profile(Profile::Tolerant).parse();
    let value = value.unwrap_or_else(|error| panic!("{error}"));
    let fields = &value["components"]["schemas"]["Answer"]["properties"];
    assert_eq!(fields["y"]["enum"], serde_json::json!(["yes", "no", "1_000"]));
    assert_eq!(
        (&fields["on"]["default"], &fields["size"]["maximum"]),
        (&true.into(), &16.into())
    );
    let strict = Input::new("it.yaml", text)
        .check()
        .expect_err("the strict profile")
        .to_string();
    assert!(strict.contains("error[ambiguous-key]"), "{strict}");
    let infinite = text.replace("0x10", ".inf");
    let refused = Input::new("it.yaml", &infinite).with_profile(Profile::Tolerant).check();
    assert!(refused.is_err(), "JSON has no such number");
}

#[test]
fn other_versions_are_refused_once() {
    for (text, expected) in [
        (
            "{ \"swagger\": \"1.2\", \"paths\": 1 }",
            "this is a Swagger 1.2 document",
        ),
        ("openapi: 3.3.0\npaths: 1\n", "OpenAPI version `3.3.0` is unsupported"),
    ] {
        let input = Input::new("it.yaml", text).with_profile(Profile::Tolerant);
        let refused = input.generate().expect_err("another version").to_string();
        assert!(
            refused.contains(expected) && refused.ends_with("1 error in it.yaml"),
            "{refused}"
        );
    }
}

#[test]
fn an_unknown_format_is_ignored_with_a_note_in_both_profiles() {
    let edited = edited(
        "            type: string\n",
        "            type: string\n            format: phone-number\n",
    );
    for profile in [Profile::Strict, Profile::Tolerant] {
        let notes = Input::new("small.yaml", &edited).with_profile(profile).check();
        let notes = notes.unwrap_or_else(|error| panic!("{error}"));
        let codes: Vec<_> = notes.list().iter().map(|note| note.code.as_str()).collect();
        assert!(codes.contains(&"unknown-format"), "{profile:?}: {notes}");
        assert!(notes.to_string().starts_with("note["), "{notes}");
    }
}

#[test]
fn a_path_parameter_that_is_not_declared_is_a_string_in_the_tolerant_profile() {
    let declared =
        r#""parameters": [{ "name": "petId", "in": "path", "required": true, "schema": { "type": "string" } }],"#;
    assert!(OTHERS.contains(declared));
    let (operations, supported, notes) = tolerated(&OTHERS.replace(declared, ""));
    assert_eq!((operations, supported), (2, 1), "{notes}");
    let note = "note[path-parameter-undeclared]: the path parameter `petId` is not declared";
    assert!(
        notes.contains(note) && notes.contains("it is declared as a string"),
        "{notes}"
    );
    // Declared elsewhere, it is a mistake without a remedy.
    let (_, supported, notes) = tolerated(&OTHERS.replace(r#""in": "path""#, r#""in": "header""#));
    assert_eq!(supported, 0, "{notes}");
}
