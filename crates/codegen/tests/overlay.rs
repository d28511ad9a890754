//! Overlays: changes of a document in a file of their own.

use serde_json::{Value, json};
use wearlab_codegen::{Input, Profile};

const DOCUMENT: &str = "openapi: 3.1.1
info: { title: Shelter, version: '1' }
servers: [{ url: '{base_url}', variables: { base_url: { default: 'https://api.example.com' } } }]
tags: [{ name: pets, description: Pets. }]
paths:
  /pets:
    get:
      operationId: all_pets
      summary: Lists pets.
      tags: [pets]
      security: []
      parameters:
        - { name: next_cursor, in: query, schema: { type: string } }
        - { name: debug, in: query, schema: { type: boolean } }
      responses:
        '200':
          description: Pets.
          content: { application/json: { schema: { $ref: '#/components/schemas/Pets' } } }
components:
  schemas:
    Pets:
      x-tag: pets
      type: object
      required: [items]
      properties:
        items: { type: array, items: { $ref: '#/components/schemas/Pet' } }
        next_cursor: { type: [string, 'null'] }
    Pet: { x-tag: pets, type: object, required: [name], properties: { name: { type: string } } }
";

fn parsed(overlays: &[(&str, &str)]) -> Value {
    let input = Input::new("openapi.yaml", DOCUMENT);
    input
        .with_overlays(overlays)
        .parse()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The message of an overlay with a mistake.
fn refused(overlay: &str) -> String {
    let overlays = [("overlay.yaml", overlay)];
    let input = Input::new("openapi.yaml", DOCUMENT).with_overlays(&overlays);
    let strict = input.check().expect_err("a mistake in the strict profile").to_string();
    let tolerant = input.with_profile(Profile::Tolerant).check();
    assert_eq!(
        tolerant.expect_err("a mistake in the tolerant profile").to_string(),
        strict
    );
    strict
}

fn actions(actions: &str) -> String {
    format!("overlay: 1.0.0\ninfo: {{ title: Changes, version: '1' }}\nactions:\n{actions}")
}

#[test]
fn objects_merge_lists_grow_and_parts_are_removed() {
    let first = actions(
        "  - target: $.paths['/pets'].get
    description: Names the method.
    update:
      x-rust-name: list_pets
      parameters: [{ name: kind, in: query, schema: { type: string } }]
      responses: { '200': { description: Some pets. } }
  - target: $.tags
    update: { name: cats, description: Cats. }
",
    );
    let second = actions(
        "  - target: $.paths.*.get.parameters[?@.name == 'debug' || @.name == 'next_cursor']\n    remove: true\n",
    );
    let value = parsed(&[("first.yaml", &first), ("second.yaml", &second)]);
    let get = &value["paths"]["/pets"]["get"];
    assert_eq!(get["x-rust-name"], "list_pets");
    assert_eq!(get["operationId"], "all_pets");
    let response = &get["responses"]["200"];
    assert_eq!(response["description"], "Some pets.");
    assert!(response["content"].is_object(), "{response}");
    assert_eq!(
        get["parameters"],
        json!([{ "name": "kind", "in": "query", "schema": { "type": "string" } }])
    );
    assert_eq!(value["tags"][1]["name"], "cats");
}

#[test]
fn a_name_pagination_and_a_tag_change_the_code() {
    let overlay = actions(
        "  - target: $.paths['/pets'].get.tags
    remove: true
  - target: $.paths['/pets'].get
    update:
      x-rust-name: list_pets
      x-pagination: { style: cursor, items: items }
      tags: [shelter]
",
    );
    let overlays = [("overlay.yaml", overlay.as_str())];
    let input = Input::new("openapi.yaml", DOCUMENT);
    let client = |input: Input<'_>| {
        let generated = input.with_profile(Profile::Tolerant).generate();
        let generated = generated.unwrap_or_else(|error| panic!("{error}"));
        let files = generated
            .files
            .into_iter()
            .filter(|file| file.path.starts_with("crates/client"));
        files.map(|file| file.text).collect::<String>()
    };
    let (before, after) = (client(input), client(input.with_overlays(&overlays)));
    assert!(
        before.contains("fn all_pets(") && !after.contains("fn all_pets("),
        "{before}\n{after}"
    );
    assert!(after.contains("fn list_pets("), "{after}");
    assert!(
        before.contains("mod pets;") && after.contains("mod shelter;"),
        "{after}"
    );
    let paged = "impl<'a> Paged<'a> for ListPets<'a>";
    assert!(after.contains(paged) && !before.contains("> Paged<"), "{after}");
    // One that does not fit is ignored with a note, and the operation stays.
    let offset = overlay.replace("style: cursor", "style: offset");
    let overlays = [("overlay.yaml", offset.as_str())];
    let input = input.with_overlays(&overlays);
    let notes = input.with_profile(Profile::Tolerant).check();
    let notes = notes.unwrap_or_else(|error| panic!("{error}")).to_string();
    assert!(
        notes.contains("note[paging-parameter]") && notes.contains("it is ignored"),
        "{notes}"
    );
    assert!(client(input).contains("fn list_pets("));
}

#[test]
fn a_mistake_in_what_an_overlay_adds_is_shown_there() {
    let overlay = actions(
        "  - target: $.components.schemas.Pet.properties
    update:
      size: { type: strin }
",
    );
    let message = Input::new("openapi.yaml", DOCUMENT)
        .with_overlays(&[("overlay.yaml", &overlay)])
        .check()
        .expect_err("a mistake")
        .to_string();
    assert!(
        message.contains("error[unknown-type]") && message.contains("overlay.yaml:6:"),
        "{message}"
    );
}

#[test]
fn a_mistake_of_an_overlay_has_its_place() {
    for (text, place, expected) in [
        (
            actions("  - target: $.paths['/cats']\n    remove: true\n"),
            ":4:",
            "selects nothing",
        ),
        (
            actions("  - target: paths./pets\n    remove: true\n"),
            ":4:",
            "is not a JSONPath",
        ),
        (
            actions("  - target: $.info.title\n    update: { a: 1 }\n"),
            ":5:",
            "neither an object nor a list",
        ),
        (
            actions("  - target: $.info\n    update: text\n"),
            ":5:",
            "`update` must be one",
        ),
        (actions("  - target: $.info\n"), ":4:", "changes nothing"),
        (
            actions("  - target: $.info\n    updat: {}\n"),
            ":5:",
            "did you mean `update`?",
        ),
        (actions("  - remove: true\n"), ":4:", "has no `target`"),
        (
            "overlay: 2.0.0\nactions: []\n".to_owned(),
            ":1:",
            "not an overlay of version 1",
        ),
        ("overlay: 1.0.0\n".to_owned(), ":1:", "no list of `actions`"),
        ("overlay: [\n".to_owned(), ":", "error[not-yaml]"),
    ] {
        let message = refused(&text);
        assert!(message.contains(expected), "{expected} is not in {message}");
        assert!(message.contains(&format!("overlay.yaml{place}")), "{message}");
    }
}

#[test]
fn removed_items_are_those_that_a_target_selects() {
    for target in [
        "$.paths['/pets'].get.parameters[1,0]",
        "$.paths['/pets'].get.parameters[0,1]",
        "$.paths['/pets'].get.parameters[0,0,1]",
        "$.paths['/pets'].get.parameters[?@.name=='debug', ?@.name=='next_cursor']",
    ] {
        let overlay = actions(&format!("  - {{ target: \"{target}\", remove: true }}\n"));
        let document = parsed(&[("overlay.yaml", &overlay)]);
        assert_eq!(document["paths"]["/pets"]["get"]["parameters"], json!([]), "{target}");
    }
    let first = actions("  - { target: \"$.paths['/pets'].get.parameters[0,0]\", remove: true }\n");
    let document = parsed(&[("overlay.yaml", &first)]);
    let left = &document["paths"]["/pets"]["get"]["parameters"];
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(left[0]["name"], "debug");
}
