//! What cannot be carried is refused, with its place; nothing is dropped in silence.

use wearlab_codegen::{Error, generate};

const SMALL: &str = include_str!("small.yaml");

/// What the generator says of the small document with `from` replaced by `to`.
fn complaint(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "the small document has no {from:?}");
    match generate("small.yaml", &SMALL.replacen(from, to, 1)) {
        Ok(_) => panic!("{to:?} was carried"),
        Err(Error::Document(diagnostics)) => diagnostics.to_string(),
        Err(other) => panic!("{to:?}: {other}"),
    }
}

#[test]
fn the_small_document_is_carried() {
    if let Err(error) = generate("small.yaml", SMALL) {
        panic!("{error}");
    }
}

#[test]
fn mistakes_are_located_and_explained() {
    let mut wrong = Vec::new();
    for (from, to, place, message) in [
        ("openapi: 3.1.1", "openapi: 3.0.3", "1:10", "`3.0.3` is not OpenAPI 3.1"),
        (
            "openapi: 3.1.1",
            "swagger: \"2.0\"",
            "1:1",
            "this is a Swagger 2.0 document",
        ),
        ("title: Small", "title: [", "", "not YAML"),
        (
            "title: Small",
            "title: yes",
            "3:10",
            "`yes` means different things to YAML 1.1 and 1.2",
        ),
        ("title: Small", "title: &a Small", "3:13", "an anchor is not allowed"),
        (
            "title: Small",
            "title: Small\n  title: Big",
            "4:3",
            "the key `title` stands here twice",
        ),
        (
            "  - name: things",
            "  - name: type",
            "11:11",
            "the tag `type` cannot name a module",
        ),
        (
            "in: path",
            "in: cookie",
            "24:15",
            "parameters in `cookie` are not carried",
        ),
        (
            "in: path",
            "in: query",
            "14:3",
            "the path parameter `thing_id` is not declared",
        ),
        (
            "required: true",
            "required: false",
            "23:11",
            "the path parameter `thing_id` is not required",
        ),
        (
            "required: true",
            "required: true\n          explode: false",
            "26:11",
            "`explode` in a parameter is not carried",
        ),
        ("get:", "post:", "15:5", "`post` in a path is not carried"),
        (
            "get_thing",
            "getThing",
            "16:20",
            "the operationId `getThing` is no method name",
        ),
        (
            "- key: []",
            "- other: []",
            "21:11",
            "the security scheme `other` is not declared",
        ),
        (
            "schemas/Thing\"",
            "schemas/Think\"",
            "34:23",
            "`#/components/schemas/Think` does not exist",
        ),
        (
            "application/json",
            "text/plain",
            "29:9",
            "is not `application/json` alone",
        ),
        ("\"200\"", "\"302\"", "29:9", "the status 302 is not carried"),
        (
            "        - name\n",
            "        - nome\n",
            "46:11",
            "`nome` is required but is no property",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: strin",
            "49:17",
            "`strin` is no type",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: string\n          nullable: true",
            "50:11",
            "`nullable` in a schema is not carried",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: string\n          enum: [a]",
            "50:11",
            "`enum` is carried in named schemas only",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: string\n          format: email",
            "50:19",
            "the format `email` is not carried",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          oneOf: []",
            "49:11",
            "this `oneOf` is not carried",
        ),
        (
            "        name:\n",
            "        Kind:\n          type: string\n        name:\n",
            "52:9",
            "would both be named `kind`",
        ),
        (
            "        - small",
            "        - other",
            "57:11",
            "collides with the variant for unknown values",
        ),
        ("        - small", "        - BIG", "57:11", "would both be named `Big`"),
        (
            "    Kind:\n",
            "    Option:\n      x-area: things\n      type: object\n      properties: {}\n    Kind:\n",
            "52:5",
            "the name `Option` is taken",
        ),
        (
            "x-extensible-enum",
            "x-extensable-enum",
            "55:7",
            "`x-extensable-enum` in a schema is not carried",
        ),
        ("type: apiKey", "type: http", "37:5", "is no API key in a header"),
    ] {
        let complaint = complaint(from, to);
        for part in [message, &format!("small.yaml:{place}"), "help: "] {
            if !complaint.contains(part) {
                wrong.push(format!("{to:?} does not say {part:?}:\n{complaint}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn all_mistakes_are_reported_in_the_documents_order() {
    let text = SMALL
        .replace("operationId: get_thing", "operationId: getThing")
        .replace("in: header", "in: query")
        .replace("type: string\n        kind", "type: sting\n        kind")
        .replace("- small", "- other");
    let Err(Error::Document(diagnostics)) = generate("small.yaml", &text) else {
        panic!("it was carried")
    };
    let lines: Vec<_> = diagnostics
        .list()
        .iter()
        .map(|d| diagnostics.line_column(d.span.start).0)
        .collect();
    assert_eq!(lines, [16, 37, 49, 57]);
    assert!(diagnostics.to_string().ends_with("4 errors in small.yaml"));
}
