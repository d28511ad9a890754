//! The MCP server of a third-party document: names of tools, schemas of arguments, and operations that are not tools.

use wearlab_codegen::{Input, Profile};

const DOCUMENT: &str = "
openapi: 3.0.3
info: { title: Depot, version: '7' }
servers: [{ url: http://127.0.0.1 }]
paths:
  /boxes:
    get:
      tags: [boxes]
      operationId: listTheBoxesOfTheDepotThatWereStoredInADayAndNotTaken
      parameters:
        - { name: sizes, in: query, schema: { type: array, items: { type: integer, minimum: 1, example: 3 } } }
        - { name: where, in: query, style: deepObject, explode: true, schema: { $ref: '#/components/schemas/Place' } }
      responses: { '200': { description: Boxes., content: { application/json: { schema: { type: array, items: { type: string } } } } } }
    post:
      tags: [boxes]
      operationId: listTheBoxesOfTheDepotThatWereStoredInADayAndTaken
      requestBody: { required: true, content: { text/plain: { schema: { type: string } } } }
      responses: { '204': { description: Done. } }
  /boxes/{id}/photo:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      tags: [photos]
      operationId: getPhoto
      responses: { '200': { description: Bytes., content: { image/png: { schema: { type: string, format: binary } } } } }
    put:
      tags: [photos]
      operationId: putPhoto
      requestBody:
        content:
          multipart/form-data:
            schema: { type: object, properties: { photo: { type: string, format: binary } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    Place: { type: object, properties: { hall: { type: string, nullable: true, description: 'The *hall*.' }, inside: { $ref: '#/components/schemas/Hall' } } }
    Hall: { type: string, enum: [north, south] }
    Unused: { type: string }
";

#[test]
fn operations_of_a_document_of_others_are_tools() {
    let input = Input::new("depot.yaml", DOCUMENT).with_profile(Profile::Tolerant);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    let file = |name: &str| {
        let path = format!("crates/mcp/src/generated/{name}.rs");
        let found = generated.files.iter().find(|file| file.path == path);
        found.map(|file| file.text.as_str())
    };
    let (root, boxes) = (file("mod").expect("a root"), file("boxes").expect("tools"));
    for expected in [
        // Cut, and distinct.
        r#"name: "list_the_boxes_of_the_depot_that_were_stored_i_2""#,
        r#"name: "list_the_boxes_of_the_depot_that_were_stored_i_3""#,
        r##"r#"{"type":"array","items":{"type":"integer","minimum":1}}"#"##,
        r###"r##"{"$ref":"#/$defs/Place"}"##"###,
        r##"body: Some(r#"{"type":"string"}"#)"##,
    ] {
        assert!(boxes.contains(expected), "{expected} is not in\n{boxes}");
    }
    for expected in [
        r#"const TITLE: &'static str = "Depot";"#,
        r#"const VERSION: &'static str = "7";"#,
        r#"const LEFT_OUT: &'static [&'static str] = &["get_photo", "put_photo"];"#,
        r##"("Hall", r#"{"type":"string","enum":["north","south"]}"#)"##,
        r#""hall":{"type":["string","null"],"description":"The hall."}"#,
        r##""inside":{"$ref":"#/$defs/Hall"}"##,
    ] {
        assert!(root.contains(expected), "{expected} is not in\n{root}");
    }
    assert!(!root.contains("Unused"), "{root}");
    // A tag without tools has no module.
    assert!(file("photos").is_none() && !root.contains("mod photos"), "{root}");
}
