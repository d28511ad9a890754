//! Lenient readers of third-party documents; the strict profile and requests stay as the document has them.

use std::collections::BTreeMap;

use wearlab_codegen::{Input, Profile};

const DOCUMENT: &str = r##"
openapi: 3.1.0
info: { title: Gym, version: "1" }
servers: [{ url: http://127.0.0.1 }]
tags: [{ name: gym, description: The gym. }]
x-tag: gym
paths:
  /workouts:
    get:
      operationId: list_workouts
      summary: List workouts
      tags: [gym]
      security: []
      parameters:
        - { name: sport, in: query, description: The sport., schema: { $ref: "#/components/schemas/Sport" } }
        - { name: order, in: query, description: The order., schema: { $ref: "#/components/schemas/Order" } }
      responses:
        "200":
          description: Workouts.
          content: { application/json: { schema: { $ref: "#/components/schemas/Workout" } } }
components:
  schemas:
    Sport: { type: string, enum: [run, other] }
    Order: { type: string, enum: [up, down] }
    Notice: { type: object, properties: { change: { $ref: "#/components/schemas/Change" } } }
    Change: { type: string, enum: [created, deleted] }
    Workout:
      type: object
      required: [sport, start, tags]
      properties:
        sport: { $ref: "#/components/schemas/Sport" }
        start: { type: string, format: date-time }
        steps: { type: integer }
        tags: { type: array, items: { type: string } }
        owner: { type: object, additionalProperties: { type: boolean } }
        note: { type: string }
"##;

fn files(profile: Profile) -> BTreeMap<String, String> {
    let input = Input::new("gym.yaml", DOCUMENT).with_profile(profile);
    let generated = input.generate().unwrap_or_else(|error| panic!("{error}"));
    generated.files.into_iter().map(|file| (file.path, file.text)).collect()
}

/// The text with single spaces.
fn compact(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn values_of_responses_are_read_leniently() {
    let files = files(Profile::Tolerant);
    let models = compact(&files["crates/models/src/generated/gym.rs"]);
    assert!(models.contains("open_enum! { /// `Sport` pub enum Sport"), "{models}");
    assert!(models.contains("closed_enum! { /// `Order` pub enum Order"), "{models}");
    // What a service pushes is not in any operation.
    assert!(models.contains("open_enum! { /// `Change` pub enum Change"), "{models}");
    for field in [
        "#[serde(deserialize_with = \"lenient\")] pub start: DateTime",
        "deserialize_with = \"lenient\", skip_serializing_if = \"Option::is_none\" )] pub steps: Option<i64>",
        "#[serde(deserialize_with = \"null_as_empty\")] pub tags: Vec<String>",
        "deserialize_with = \"null_as_empty\", default, skip_serializing_if = \"BTreeMap::is_empty\" )]",
        "#[serde(skip_serializing_if = \"Option::is_none\")] pub note: Option<String>",
    ] {
        assert!(models.contains(field), "{field} is not in {models}");
    }
}

#[test]
fn values_of_requests_are_those_of_the_document() {
    let files = files(Profile::Tolerant);
    let server = compact(&files["crates/server/src/generated/gym.rs"]);
    let sport = r#"request.query("sport").choice_of(&["run", "other"]).optional()"#;
    assert!(server.contains(sport), "{server}");
    let order = r#"request.query("order").choice().optional()"#;
    assert!(server.contains(order), "{server}");
}
