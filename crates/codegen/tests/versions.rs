//! OpenAPI 3.2, and paths of an odd shape, in the tolerant profile.

use serde_json::Value;
use wearlab_codegen::{Generated, Input, Profile};

fn generated(text: &str) -> Generated {
    let input = Input::new("it.yaml", text).with_profile(Profile::Tolerant);
    input.generate().unwrap_or_else(|error| panic!("{error}"))
}

/// The served document, which shows what was read.
fn served(generated: &Generated) -> Value {
    let file = generated.files.iter().find(|file| file.path.ends_with("openapi.json"));
    serde_json::from_str(&file.expect("the served document").text).expect("JSON")
}

const LATER: &str = "openapi: 3.2.0
$self: https://example.com/api
info: { title: Shelter, version: '1' }
servers: [{ url: 'https://api.example.com', name: production }]
tags:
  - { name: pets, summary: Pets, kind: nav }
  - { name: cats, parent: pets }
paths:
  /pets:
    query:
      responses: { '200': { description: Found. } }
    additionalOperations:
      COPY: { responses: { '204': { description: Copied. } } }
    get:
      operationId: list_pets
      tags: [cats]
      security: [{ device: [] }]
      parameters:
        - name: filter
          in: querystring
          content:
            application/x-www-form-urlencoded: { schema: { $ref: 'https://example.com/api#/components/schemas/Filter' } }
      responses:
        '200': { summary: Pets., content: { application/jsonl: { itemSchema: { $ref: '#/components/schemas/Pet' } } } }
        '404': { summary: None., content: { application/json: { $ref: '#/components/mediaTypes/Problem' } } }
  /pets/events:
    get:
      operationId: watch_pets
      tags: [cats]
      responses:
        '200': { summary: Events., content: { multipart/mixed: { itemSchema: { $ref: '#/components/schemas/Pet' } } } }
components:
  mediaTypes:
    Problem: { schema: { type: object, properties: { message: { type: string } } } }
  securitySchemes:
    device:
      type: oauth2
      deprecated: true
      flows:
        deviceAuthorization: { deviceAuthorizationUrl: 'https://a.example', tokenUrl: 'https://b.example', scopes: {} }
  schemas:
    Filter: { type: object, properties: { kind: { type: string } } }
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Rest' }]
      discriminator: { propertyName: kind, mapping: { cat: '#/components/schemas/Cat' }, defaultMapping: Rest }
    Cat: { type: object, required: [kind], properties: { kind: { type: string } } }
    Rest: { type: object, required: [kind], properties: { kind: { type: string }, name: { type: string } } }
";

#[test]
fn a_document_of_3_2_is_read_and_what_is_left_out_is_noted() {
    let generated = generated(LATER);
    let notes: Vec<_> = generated.notes.list().iter().collect();
    let noted = |line: usize, key: &str| {
        notes.iter().any(|note| {
            note.code.as_str() == "later-version"
                && generated.notes.line_column(note.span.start).0 == line
                && note.message.contains(key)
        })
    };
    for (line, key) in [
        (10, "`query`"),
        (12, "`additionalOperations`"),
        (31, "`itemSchema`"),
        (40, "`deviceAuthorization`"),
        (45, "`defaultMapping`"),
    ] {
        assert!(noted(line, key), "{key} of line {line} is not in {}", generated.notes);
    }
    assert_eq!(notes.len(), 5, "{}", generated.notes);
    let served = served(&generated);
    let get = &served["paths"]["/pets"]["get"];
    assert_eq!(get["parameters"][0]["in"], "query");
    let line = &get["responses"]["200"]["content"]["application/jsonl"]["schema"];
    assert_eq!(line["$ref"], "#/components/schemas/Pet");
    assert_eq!(get["responses"]["200"]["description"], "Pets.");
    assert!(get["responses"]["404"]["content"]["application/json"]["schema"].is_object());
    assert_eq!(served["components"]["securitySchemes"]["device"]["scheme"], "bearer");
    let kind = generated.files.iter().any(|file| file.text.contains("fn list_pets("));
    assert!(kind, "the operation has no method");
}

#[test]
fn keys_of_paths_may_be_urls() {
    let operation = "{ get: { responses: { '204': { description: Done. } } } }";
    let text = format!(
        "openapi: 3.0.3
info: {{ title: Scales }}
servers: [{{ url: 'https://api.example.com' }}]
paths:
  https://other.example.com/v2/measure: {operation}
  https://api.example.com/users: {operation}
  https://api.example.com/teams: {operation}
  heart: {operation}
  /users: {operation}
  /sleep?action=get: {operation}
"
    );
    let generated = generated(&text);
    let served = served(&generated);
    let paths = served["paths"].as_object().expect("paths");
    assert_eq!(paths["/v2/measure"]["servers"][0]["url"], "https://other.example.com");
    assert!(
        paths["/teams"].get("servers").is_none(),
        "its URL is that of the document"
    );
    assert!(paths.contains_key("/heart"));
    let notes = generated.notes.to_string();
    assert!(
        notes.contains("it.yaml:10:3") && notes.contains("note[path-query]"),
        "{notes}"
    );
    assert!(
        notes.contains("it.yaml:6:3") && notes.contains("note[path-slash]"),
        "{notes}"
    );
}

#[test]
fn a_path_that_is_a_reference_has_the_members_beside_it() {
    let text = "openapi: 3.1.1
info: { title: Shelter, version: '1' }
paths:
  /pets/{id}:
    $ref: '#/components/pathItems/Pet'
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int-ish } }]
  /absent: { $ref: '#/components/pathItems/Absent' }
components:
  pathItems:
    Unused: { get: { responses: { '204': { description: Done. } } } }
    Pet:
      get: { operationId: read_pet, responses: { '204': { description: Done. } } }
";
    let generated = generated(text);
    let path = &served(&generated)["paths"]["/pets/{id}"];
    assert_eq!(path["get"]["operationId"], "read_pet");
    assert_eq!(path["parameters"][0]["name"], "id");
    let notes = generated.notes.to_string();
    assert!(notes.contains("int-ish") && notes.contains("it.yaml:6:"), "{notes}");
    assert!(
        notes.contains("cannot be a `$ref`") && notes.contains("it.yaml:7:"),
        "{notes}"
    );
    assert_eq!(
        generated.notes.list().len(),
        2,
        "unused parts are not mistakes: {notes}"
    );
}

#[test]
fn operations_that_cannot_be_sent_are_left_out_with_a_note_and_others_kept() {
    let done = "responses: { '204': { description: Done. } }";
    let text = format!(
        "openapi: 3.0.3
info: {{ title: Shelter, version: '1' }}
servers: [{{ url: 'https://api.example.com' }}]
paths:
  /pets:
    head: {{ {done} }}
    options: {{ {done} }}
    trace: {{ {done} }}
    get:
      operationId: list_pets
      requestBody: {{ content: {{ application/json: {{ schema: {{ type: object }} }} }} }}
      {done}
    put:
      operationId: put_pets
      servers: [{{ url: 'https://other.example.com' }}]
      {done}
"
    );
    let generated = generated(&text);
    let notes = generated.notes.list();
    let places: Vec<_> = notes
        .iter()
        .map(|note| (note.code.as_str(), generated.notes.line_column(note.span.start).0))
        .collect();
    assert_eq!(places, [("method", 8)], "{}", generated.notes);
    let pets = &served(&generated)["paths"]["/pets"];
    let methods: Vec<_> = pets.as_object().into_iter().flat_map(|item| item.keys()).collect();
    assert_eq!(methods, ["head", "options", "get", "put"]);
    assert!(pets["get"]["requestBody"].is_object());
    assert_eq!(pets["put"]["servers"][0]["url"], "https://other.example.com");
}
