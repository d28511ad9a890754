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
            "`nullable` in a property is not carried",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: string\n          enum: [a]",
            "50:11",
            "`enum` in a property is not carried",
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
            "`x-extensable-enum` in a named schema is not carried",
        ),
        (
            "            type: string\n      responses",
            "            type: string\n            x-sensitive: true\n      responses",
            "28:13",
            "`x-sensitive` in a parameter's schema is not carried",
        ),
        (
            "    Thing:\n",
            "    Thing:\n      x-sensitive: true\n",
            "43:7",
            "`x-sensitive` in a named schema is not carried",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: array\n          items: { type: string, x-sensitive: true }",
            "50:34",
            "`x-sensitive` in a schema below another is not carried",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: integer, default: x }\n",
            "30:45",
            "the default is no whole number",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: integer, default: 0, minimum: 1 }\n",
            "30:45",
            "the default is out of its own bounds",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: string, default: abc, maxLength: 2 }\n",
            "30:44",
            "the default is out of its own bounds",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: integer, format: int32, default: 3000000000 }\n",
            "30:60",
            "the default is no 32-bit integer",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: integer, format: int32, maximum: 3000000000 }\n",
            "30:60",
            "`maximum` is no 32-bit integer",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: string, format: date, default: 2024-01-01 }\n",
            "30:58",
            "a default of this type is not carried",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: [string, \"null\"], default: null }\n",
            "30:54",
            "a default of null says nothing",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { $ref: \"#/components/schemas/Kind\", default: medium }\n",
            "30:65",
            "the default is no value of `Kind`",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: string, minLength: 2, maxLength: 1 }\n",
            "30:35",
            "no value meets these bounds",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n        - name: more\n          in: query\n          schema: { type: string, format: uuid, minLength: 2 }\n",
            "30:49",
            "`minLength` beside `format` is not carried",
        ),
        (
            "        name:\n          type: string",
            "        other:\n          type: string\n          format: uuid\n          default: x\n        name:\n          type: string",
            "51:20",
            "a default of this type is not carried",
        ),
        (
            "        name:\n          type: string",
            "        other:\n          type: number\n          default: x\n        name:\n          type: string",
            "50:20",
            "the default is no number",
        ),
        (
            "  - name: things",
            "  - name: models",
            "11:11",
            "the tag `models` cannot name a module",
        ),
        (
            "  - name: things",
            "  - name: gen",
            "11:11",
            "the tag `gen` cannot name a module",
        ),
        (
            "  - name: things",
            "  - name: std",
            "11:11",
            "the tag `std` cannot name a module",
        ),
        (
            "get_thing",
            "call",
            "16:20",
            "the operationId `call` is taken by the generated code",
        ),
        (
            "get_thing",
            "url",
            "16:20",
            "the operationId `url` is taken by the generated code",
        ),
        (
            "get_thing",
            "clone",
            "16:20",
            "the operationId `clone` is taken by the generated code",
        ),
        (
            "get_thing",
            "key",
            "16:20",
            "the operationId `key` is taken by the generated code",
        ),
        (
            "get_thing",
            "stream",
            "16:20",
            "the operationId `stream` is taken by the generated code",
        ),
        ("get_thing", "gen", "16:20", "the operationId `gen` is no method name"),
        (
            "    Kind:\n",
            "    Page:\n      x-area: things\n      type: object\n      properties:\n        a:\n          type: string\n    Kind:\n",
            "52:5",
            "the name `Page` is taken",
        ),
        (
            "    Kind:\n",
            "    ParseEnumError:\n      x-area: things\n      type: object\n      properties:\n        a:\n          type: string\n    Kind:\n",
            "52:5",
            "the name `ParseEnumError` is taken",
        ),
        (
            "    Kind:\n",
            "    HRVSample:\n      x-area: things\n      type: object\n      properties:\n        a:\n          type: string\n    Kind:\n",
            "52:5",
            "write `HrvSample`",
        ),
        (
            "    Kind:\n",
            "    ThingBuilder:\n      x-area: things\n      type: object\n      properties:\n        a:\n          type: string\n    Kind:\n",
            "52:5",
            "two types would both be named `ThingBuilder`",
        ),
        (
            "        name:\n          type: string",
            "        build:\n          type: string\n        name:\n          type: string",
            "48:9",
            "the property `build` cannot name a field",
        ),
        (
            "        name:\n          type: string",
            "        maybe_kind:\n          type: string\n        name:\n          type: string",
            "52:9",
            "would both be named `maybe_kind`",
        ),
        (
            "    key:\n      type",
            "    9key:\n      type",
            "37:5",
            "the security scheme `9key` names no argument",
        ),
        (
            "    key:\n      type",
            "    request:\n      type",
            "37:5",
            "the security scheme `request` names no argument",
        ),
        ("name: x-key", "name: x key", "40:13", "`x key` is no name of a header"),
        (
            "\"{base_url}\"\n    variables:\n      base_url:",
            "\"{Base}\"\n    variables:\n      Base:",
            "8:7",
            "the server variable `Base` names no address",
        ),
        (
            "        - small",
            "        - self",
            "57:11",
            "`self` gives no variant name",
        ),
        (
            "      x-extensible-enum:\n        - big\n        - small\n",
            "      x-extensible-enum: []\n",
            "55:7",
            "an enum without values",
        ),
        (
            "      x-extensible-enum:\n        - big\n        - small\n",
            "      enum: []\n",
            "55:7",
            "an enum without values",
        ),
        (
            "      x-extensible-enum:\n        - big\n        - small\n",
            "      x-extensible-enum:\n        - big\n        - small\n      enum: [big]\n",
            "58:7",
            "`enum` means nothing for an open enum",
        ),
        (
            "      x-extensible-enum:\n        - big\n        - small\n",
            "      x-extensible-enum:\n        - big\n        - small\n      minLength: 1\n",
            "58:7",
            "`minLength` in a named schema is not carried",
        ),
        (
            "      x-extensible-enum:\n        - big\n        - small\n",
            "      x-extensible-enum:\n        - big\n        - small\n      properties: { a: { type: string } }\n",
            "58:7",
            "`properties` means nothing for an open enum",
        ),
        (
            "    Kind:\n",
            "    Bare:\n      x-area: things\n      type: object\n      properties: {}\n    Kind:\n",
            "55:7",
            "an object without properties",
        ),
        (
            "    Kind:\n",
            "    Bare:\n      x-area: things\n      type: object\n      items: { type: string }\n      properties: { a: { type: string } }\n    Kind:\n",
            "55:7",
            "`items` in a named schema is not carried",
        ),
        ("- key: []", "- {}", "21:11", "an operation without credentials"),
        (
            "        name:\n          type: string",
            "        name:\n          type: object\n          propertyNames: { type: string, format: uuid }\n          additionalProperties: { type: string }",
            "50:11",
            "the keys of a map are strings, or of an enum",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: object\n          propertyNames: { $ref: \"#/components/schemas/Thing\" }\n          additionalProperties: { type: string }",
            "50:11",
            "the keys of a map are strings, or of an enum",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: object\n          propertyNames: { type: string }",
            "50:11",
            "`propertyNames` is carried for maps only",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: string\n          oneOf: [{ $ref: \"#/components/schemas/Kind\" }, { type: \"null\" }]",
            "49:11",
            "`type` means nothing beside `oneOf`",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: string\n          minLength: 1",
            "50:11",
            "`minLength` in a property is not carried",
        ),
        (
            "        name:\n          type: string",
            "        name:\n          type: array\n          items: { type: integer, minimum: 1 }",
            "50:35",
            "`minimum` in a schema below another is not carried",
        ),
        (
            "          required: true\n          schema:\n            type: string\n",
            "          required: true\n          schema:\n            type: string\n            description: An id.\n",
            "28:13",
            "`description` in a parameter's schema is not carried",
        ),
        (
            "/things/{thing_id}:",
            "/things/*rest/{thing_id}:",
            "14:3",
            "the router takes `*rest` for something else",
        ),
        (
            "components:\n",
            "  /things/{id}/:\n    get:\n      operationId: get_other\n      summary: Read another\n      tags: [things]\n      security: [{ key: [] }]\n      parameters:\n        - { name: id, in: path, required: true, schema: { type: string } }\n      responses:\n        \"200\":\n          description: One.\n          content: { application/json: { schema: { $ref: \"#/components/schemas/Thing\" } } }\ncomponents:\n",
            "35:3",
            "two paths would answer the same addresses",
        ),
        ("title: Small", "title: Y", "3:10", "`Y` means different things"),
        ("title: Small", "title: N", "3:10", "`N` means different things"),
        ("title: Small", "title: 0x1F", "3:10", "`0x1F` means different things"),
        ("title: Small", "title: 0o17", "3:10", "`0o17` means different things"),
        ("title: Small", "title: 012", "3:10", "`012` means different things"),
        ("title: Small", "title: 1_000", "3:10", "`1_000` means different things"),
        ("title: Small", "title: 12:30", "3:10", "`12:30` means different things"),
        ("title: Small", "title: .inf", "3:10", "`.inf` means different things"),
        (
            "title: Small",
            "title: Small\n  no: x",
            "4:3",
            "readers of YAML take the key `no` differently",
        ),
        (
            "title: Small",
            "title: Small\n  on: x",
            "4:3",
            "readers of YAML take the key `on` differently",
        ),
        (
            "title: Small",
            "title: Small\n  null: x",
            "4:3",
            "readers of YAML take the key `null` differently",
        ),
        (
            "title: Small",
            "title: Small\n  Y: x",
            "4:3",
            "readers of YAML take the key `Y` differently",
        ),
        (
            "title: Small",
            "title: Small\n  12:30: x",
            "4:3",
            "readers of YAML take the key `12:30` differently",
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
fn names_of_properties_are_no_keywords() {
    let text = SMALL.replace(
        "        kind:\n          $ref: \"#/components/schemas/Kind\"",
        "        default: { $ref: \"#/components/schemas/Kind\" }
        parameters: { type: array, items: { $ref: \"#/components/schemas/Kind\" } }
        examples: { $ref: \"#/components/schemas/Kind\" }",
    );
    if let Err(error) = generate("small.yaml", &text) {
        panic!("{error}");
    }
    let error = generate(
        "small.yaml",
        &text.replace(
            "default: { $ref: \"#/components/schemas/Kind",
            "default: { $ref: \"#/components/schemas/None",
        ),
    );
    let complaint = error.expect_err("there is no such schema").to_string();
    assert!(
        complaint.contains("`#/components/schemas/None` does not exist"),
        "{complaint}"
    );
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

/// The document that the small one cannot say: operations that are paged.
const PAGED: &str = include_str!("diff/document.yaml");

#[test]
fn pages_have_what_their_style_needs() {
    let mut wrong = Vec::new();
    for (from, to, message) in [
        (
            "        total: { type: integer }",
            "        total: { type: string }",
            "the property `total` of a page of this style is a required 64-bit integer",
        ),
        (
            "        total: { type: integer }",
            "        total: { type: integer, format: int32 }",
            "the property `total` of a page of this style is a required 64-bit integer",
        ),
        (
            "[things, total, offset, limit]",
            "[things, total, offset]",
            "the property `limit` of a page of this style is a required 64-bit integer",
        ),
        (
            "[things, total, offset, limit]",
            "[total, offset, limit]",
            "`things` is no required list of `ThingList`",
        ),
        (
            "schema: { type: integer, default: 0 }",
            "schema: { type: string }",
            "the query parameter `offset` of this style of paging is a 64-bit integer",
        ),
        (
            "  /things/{thing_id}:",
            "  /all/:
    get:
      operationId: list_all
      summary: List all
      tags: [things]
      x-pagination: { style: cursor, items: things }
      security: [{ key: [] }]
      parameters:
        - { name: next_cursor, in: query, schema: { type: integer } }
      responses:
        \"200\":
          description: A page.
          content: { application/json: { schema: { $ref: \"#/components/schemas/ThingList\" } } }
  /things/{thing_id}:",
            "the query parameter `next_cursor` of this style of paging is a string",
        ),
        (
            "  /things/{thing_id}:",
            "  /all/:
    get:
      operationId: list_all
      summary: List all
      tags: [things]
      x-pagination: { style: offset, items: others }
      security: [{ key: [] }]
      parameters:
        - { name: offset, in: query, schema: { type: integer } }
        - { name: limit, in: query, schema: { type: integer } }
      responses:
        \"200\":
          description: A page.
          content: { application/json: { schema: { $ref: \"#/components/schemas/ThingList\" } } }
  /things/{thing_id}:",
            "`ThingList` is a page in two ways",
        ),
    ] {
        assert!(PAGED.contains(from), "the document has no {from:?}");
        let text = PAGED.replacen(from, to, 1).replace(
            "        limit: { type: integer }\n",
            "        limit: { type: integer }\n        others: { type: array, items: { $ref: \"#/components/schemas/Thing\" } }\n",
        );
        let text = text.replace("required: [things, total", "required: [others, things, total");
        match generate("paged.yaml", &text) {
            Ok(_) => wrong.push(format!("{to:?} was carried")),
            Err(error) if error.to_string().contains(message) => {}
            Err(error) => wrong.push(format!("{to:?} does not say {message:?}:\n{error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn names_do_not_meet_those_of_generated_code() {
    for (from, to, message) in [
        (
            "operationId: box_gone",
            "operationId: unknown",
            "the event `unknown` collides",
        ),
        (
            "name: text\n          in: query",
            "name: x trace\n          in: header",
            "`x trace` is no name of a header",
        ),
        (
            "name: text\n",
            "name: build\n",
            "the parameter `build` cannot name a field",
        ),
        ("[x-old-key]", "[\"x old\"]", "`x old` is no name of a header"),
        ("management_url", "base", "two servers would both be named `Base`"),
    ] {
        assert!(PAGED.contains(from), "the document has no {from:?}");
        let complaint = match generate("paged.yaml", &PAGED.replace(from, to)) {
            Ok(_) => panic!("{to:?} was carried"),
            Err(error) => error.to_string(),
        };
        assert!(complaint.contains(message), "{to:?}:\n{complaint}");
    }
}
