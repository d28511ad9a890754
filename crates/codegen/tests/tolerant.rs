//! The tolerant profile degrades parts of third-party documents: it keeps what can be sent.

use serde_json::{Value, json};
use wearlab_codegen::{Coverage, Generated, Input, Measure, Profile};

/// A document with one operation.
fn document(operation: &Value, components: &Value) -> String {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Forms", "version": "1" },
        "paths": { "/things/{id}": { "get": operation } },
        "components": components,
    })
    .to_string()
}

/// An operation with one more parameter, and a schema of each kind to refer to.
fn with_parameter(parameter: &Value) -> String {
    let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    // Another form of the parameter in the path.
    let parameters = if parameter["name"] == "id" {
        json!([parameter])
    } else {
        json!([id, parameter])
    };
    let operation = json!({
        "operationId": "getThing",
        "parameters": parameters,
        "responses": { "204": { "description": "" } },
    });
    let schemas = json!({
        "Name": { "type": "string", "maxLength": 9 },
        "NameOrId": { "oneOf": [
            { "title": "id", "allOf": [{ "type": "string", "format": "uuid" }] },
            { "title": "name", "allOf": [{ "$ref": "#/components/schemas/Name" }] },
        ] },
        "Order": { "oneOf": [
            { "description": "Up.", "type": "string", "enum": ["up"] },
            { "description": "Down.", "type": "string", "enum": ["down"] },
        ] },
        "Kind": { "type": "string", "enum": ["a", "b"] },
        "Range": { "type": "object", "properties": { "gt": { "type": "integer" } } },
        "Nested": { "type": "object", "properties": { "inner": { "$ref": "#/components/schemas/Range" } } },
    });
    document(&operation, &json!({ "schemas": schemas }))
}

fn generated(text: &str) -> Generated {
    let input = Input::new("it.json", text).with_profile(Profile::Tolerant);
    input.generate().unwrap_or_else(|error| panic!("{error}"))
}

fn coverage(generated: &Generated) -> &Coverage {
    generated
        .coverage
        .as_ref()
        .expect("the coverage of the tolerant profile")
}

/// The forms of a parameter, each with the type of its field in the server.
fn forms() -> Vec<(Value, &'static str)> {
    let query = |schema: Value| json!({ "name": "p", "in": "query", "schema": schema });
    let with = |extra: Value| {
        let mut parameter = query(json!({ "type": "string" }));
        for (key, value) in extra.as_object().into_iter().flatten() {
            parameter[key] = value.clone();
        }
        parameter
    };
    let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let deep =
        |schema: Value| json!({ "name": "p", "in": "query", "style": "deepObject", "explode": true, "schema": schema });
    vec![
        // Keywords that cannot be honoured.
        (
            query(json!({ "type": "string", "uniqueItems": true })),
            "Option<String>",
        ),
        (query(json!({ "type": "boolean", "uniqueItems": true })), "Option<bool>"),
        (
            query(json!({ "type": "string", "format": "uuid", "pattern": "^.{36}$" })),
            "Option<Uuid>",
        ),
        (
            query(json!({ "type": "string", "format": "date", "maxLength": 10 })),
            "Option<NaiveDate>",
        ),
        (query(json!({ "type": "string", "format": "emial" })), "Option<String>"),
        (query(json!({ "type": "string", "pattern": "(?=a)" })), "Option<String>"),
        (query(json!({ "type": "integer", "maximum": 1e20 })), "Option<i64>"),
        (query(json!({ "type": "integer", "minimum": 0.5 })), "Option<i64>"),
        (query(json!({ "type": "integer", "format": "int128" })), "Option<i64>"),
        (query(json!({ "type": "integer", "default": "ten" })), "Option<i64>"),
        (
            query(json!({ "type": "string", "nullable": true, "default": null })),
            "Option<String>",
        ),
        (
            query(json!({ "type": "string", "title": "P", "example": "x", "examples": ["x"] })),
            "Option<String>",
        ),
        (
            query(json!({ "type": "string", "x-order": 1, "not": { "enum": ["x"] } })),
            "Option<String>",
        ),
        (query(json!({ "type": "string", "minLength": "1" })), "Option<String>"),
        (
            query(json!({ "type": "string", "format": "password" })),
            "Option<String>",
        ),
        (
            with(json!({ "allowEmptyValue": true, "allowReserved": true, "x-position": 3 })),
            "Option<String>",
        ),
        (
            with(json!({ "example": 1, "examples": { "one": { "value": "x" } }, "type": "string" })),
            "Option<String>",
        ),
        (with(json!({ "style": "deepObject" })), "Option<String>"),
        (with(json!({ "style": "simple", "explode": true })), "Option<String>"),
        (
            with(json!({ "required": true, "schema": { "type": "integer", "default": 1 } })),
            "i64",
        ),
        // Null beside a type.
        (
            query(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "title": "P" })),
            "Option<String>",
        ),
        (
            query(json!({ "oneOf": [{ "type": "integer" }, { "type": "null" }] })),
            "Option<i64>",
        ),
        (
            query(json!({ "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }] })),
            "Option<NaiveDate>",
        ),
        (
            query(json!({ "anyOf": [named("Kind"), { "type": "null" }] })),
            "Option<models::Kind>",
        ),
        (
            query(json!({ "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "null" }] })),
            "Vec<String>",
        ),
        (
            query(json!({ "nullable": true, "allOf": [named("Kind")] })),
            "Option<models::Kind>",
        ),
        (
            query(json!({ "allOf": [named("Kind")], "default": "a" })),
            "models::Kind",
        ),
        // Several types.
        (query(named("NameOrId")), "Option<String>"),
        (query(named("Order")), "Option<models::Order>"),
        (
            query(json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] })),
            "Option<String>",
        ),
        (query(json!({ "type": ["string", "integer"] })), "Option<String>"),
        (
            query(json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })),
            "Vec<String>",
        ),
        (query(json!({})), "Option<String>"),
        (query(json!({ "const": 1 })), "Option<String>"),
        // Lists.
        (
            query(json!({ "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "default": ["a"] })),
            "Vec<",
        ),
        (query(json!({ "type": "array" })), "Vec<String>"),
        (
            query(json!({ "type": "array", "items": { "type": "array", "items": { "type": "integer" } } })),
            "Vec<String>",
        ),
        (
            query(json!({ "type": "array", "items": named("NameOrId") })),
            "Vec<String>",
        ),
        (
            deep(json!({ "type": "array", "items": { "type": "string" } })),
            "Vec<String>",
        ),
        // Objects.
        (deep(named("Range")), "Option<models::Range>"),
        (deep(named("Nested")), "Option<BTreeMap<String, String>>"),
        (
            deep(json!({ "anyOf": [named("Range"), { "type": "integer" }] })),
            "Option<BTreeMap<String, String>>",
        ),
        (
            json!({ "name": "p", "in": "query", "content": { "application/json": { "schema": named("Nested") } } }),
            "Option<models::Nested>",
        ),
        (
            json!({ "name": "p", "in": "query", "content": { "text/csv": { "schema": { "type": "string" } } } }),
            "Option<String>",
        ),
        // Other places.
        (
            json!({ "name": "X-P", "in": "header", "schema": named("NameOrId") }),
            "Option<String>",
        ),
        (
            json!({ "name": "X-P", "in": "header", "schema": named("Range") }),
            "Option<String>",
        ),
        (
            json!({ "name": "X-P", "in": "header", "content": { "application/json": { "schema": named("Range") } } }),
            "Option<String>",
        ),
        (
            json!({ "name": "p", "in": "cookie", "schema": named("Range") }),
            "Option<String>",
        ),
        (
            json!({ "name": "p", "in": "cookie", "schema": { "type": "string", "uniqueItems": true } }),
            "Option<String>",
        ),
        (
            json!({ "name": "id", "in": "path", "required": true, "schema": named("NameOrId") }),
            "String",
        ),
        (
            json!({ "name": "id", "in": "path", "schema": { "type": "string" } }),
            "String",
        ),
        (
            json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "integer", "default": 1 } }),
            "i64",
        ),
    ]
}

#[test]
fn each_form_of_a_parameter_is_kept() {
    let mut lost = Vec::new();
    for (parameter, expected) in forms() {
        let generated = generated(&with_parameter(&parameter));
        let coverage = coverage(&generated);
        let whole = coverage.share(Measure::Whole).kept == 1;
        let name = parameter["name"].as_str().unwrap_or_default();
        let field = format!("pub {}: ", name.to_lowercase().replace('-', "_"));
        let server = generated
            .files
            .iter()
            .filter(|file| file.path.starts_with("crates/server/"));
        let mut lines = server.flat_map(|file| file.text.lines()).map(str::trim);
        let found = lines.find(|line| line.starts_with(&field));
        if !whole || !found.is_some_and(|line| line.contains(expected)) {
            let notes = generated.notes.grouped();
            lost.push(format!(
                "{parameter}: {expected} is not {found:?}; {:?}\n{notes}",
                coverage.missing
            ));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

#[test]
fn each_form_of_a_header_is_kept() {
    let headers = json!({
        "X-Plain": { "schema": { "type": "string", "uniqueItems": true }, "style": "simple" },
        "X-List": { "schema": { "type": "array", "items": { "type": "string" } } },
        "X-Object": { "schema": { "type": "object", "properties": { "a": { "type": "string" } } } },
        "X-Either": { "schema": { "anyOf": [{ "type": "integer" }, { "type": "string" }] } },
        "X-Shared": { "$ref": "#/components/headers/X-Shared" },
        "Content-Type": { "schema": { "type": "string" } },
    });
    let shared = json!({ "headers": {
        "X-Shared": { "schema": { "type": "integer", "maximum": 1e20 } },
        "Unused": { "schema": { "type": "array", "items": {} } },
    } });
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "204": { "description": "", "headers": headers } },
    });
    let generated = generated(&document(&operation, &shared));
    let kept = coverage(&generated).share(Measure::Headers);
    assert_eq!((kept.kept, kept.all), (5, 5), "{}", generated.notes);
}

#[test]
fn a_security_scheme_keeps_its_form_beside_keys_of_others() {
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "security": [{ "bearer": [] }, { "custom": [] }, { "absent": [] }],
        "responses": { "204": { "description": "" } },
    });
    let schemes = json!({ "securitySchemes": {
        "bearer": { "type": "http", "scheme": "bearer", "in": "header", "name": "Authorization" },
        "custom": { "type": "http", "scheme": "digest" },
    } });
    let generated = generated(&document(&operation, &schemes));
    let coverage = coverage(&generated);
    let kept = coverage.share(Measure::Security);
    assert_eq!((kept.kept, kept.all), (2, 3), "{}", generated.notes);
    assert_eq!(coverage.share(Measure::Generated).kept, 1);
    assert_eq!(coverage.missing, ["GET /things/{id}: the credentials `absent`"]);
}

#[test]
fn references_to_parts_of_operations_are_followed() {
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Forms" },
        "paths": {
            "/a": { "get": {
                "operationId": "getA",
                "parameters": [{ "name": "page", "in": "query", "schema": { "type": "integer" } }],
                "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
                    "type": "object", "properties": { "b": { "type": "object", "properties": { "c": { "type": "string" } } } },
                } } } } },
            } },
            "/b": { "get": {
                "operationId": "getB",
                "parameters": [{ "$ref": "#/paths/~1a/get/parameters/0" }],
                "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
                    "$ref": "#/paths/~1a/get/responses/200/content/application~1json/schema/properties/b",
                } } } } },
            } },
            "/c": { "get": { "operationId": "getC", "responses": { "200": { "$ref": "#/paths/~1b/get/responses/200" } } } },
        },
    });
    let generated = generated(&text.to_string());
    let coverage = coverage(&generated);
    assert!(coverage.missing.is_empty(), "{:?}", coverage.missing);
    let (whole, query) = (coverage.share(Measure::Whole), coverage.share(Measure::Query));
    assert_eq!((whole.kept, query.kept, query.all), (3, 2, 2), "{}", generated.notes);
}

#[test]
fn notes_are_grouped_with_their_operations_and_parameters() {
    let parameter =
        |name: &str| json!({ "name": name, "in": "query", "schema": { "type": "string", "uniqueItems": true } });
    let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    let mut parameters = vec![id];
    parameters.extend(["a", "b", "c", "d", "e", "f", "g"].map(parameter));
    let operation = json!({
        "operationId": "getThing",
        "parameters": parameters,
        "responses": { "204": { "description": "" }, "299": { "description": "", "content": { "multipart/mixed": {} } } },
    });
    let generated = generated(&document(&operation, &json!({})));
    let notes = generated.notes.grouped();
    let expected = "     7  `uniqueItems` has no effect on a schema of type string [stray-keyword]\n        => it is ignored\n        \
        in get_thing: a; get_thing: b; get_thing: c; get_thing: d; get_thing: e; and 2 more\n        first at it.json:1:";
    assert!(notes.contains(expected), "{notes}");
    let summary = coverage(&generated).summary();
    assert!(
        summary.contains("1 of 1 operations are generated; 0 are whole"),
        "{summary}"
    );
    assert!(
        summary.contains("7 of 7 query parameters; 1 of 2 successful responses"),
        "{summary}"
    );
}

#[test]
fn operations_of_one_url_to_the_router_are_kept_in_the_client() {
    let operation = |id: &str| {
        json!({ "post": {
        "operationId": id,
        "parameters": [{ "name": "name", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "204": { "description": "" } },
    } })
    };
    let text = json!({
        "openapi": "3.0.3",
        "info": { "title": "Forms" },
        "paths": { "/things/{name}:start": operation("start"), "/things/{name}:stop": operation("stop") },
    });
    let generated = generated(&text.to_string());
    assert_eq!(coverage(&generated).share(Measure::Whole).kept, 2);
    assert!(
        generated
            .notes
            .grouped()
            .contains("the client has the operation, the server does not")
    );
    let has = |directory: &str, id: &str| {
        let mut files = generated.files.iter().filter(|file| file.path.starts_with(directory));
        files.any(|file| file.text.contains(&format!("fn {id}")))
    };
    let found = ["crates/client/", "crates/server/"].map(|directory| (has(directory, "start"), has(directory, "stop")));
    assert_eq!(found, [(true, true), (true, false)]);
}

/// The type of a schema of the models, which one response returns.
fn model(name: &str, schemas: &Value) -> (String, Coverage) {
    let target = json!({ "$ref": format!("#/components/schemas/{name}") });
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "200": { "description": "", "content": { "application/json": { "schema": target } } } },
    });
    let generated = generated(&document(&operation, &json!({ "schemas": schemas })));
    let models = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models/"));
    let text = models.map(|file| file.text.as_str()).collect();
    (text, coverage(&generated).clone())
}

#[test]
fn an_object_keeps_its_properties_beside_what_has_no_form() {
    let either = json!({ "oneOf": [
        { "type": "object", "properties": { "page": { "type": "integer" } } },
        { "type": "object", "properties": { "offset": { "type": "integer" } } },
    ] });
    let own = json!({ "type": "object", "required": ["hits"], "properties": { "hits": { "type": "integer", "format": "u-int32" } } });
    let mut beside = own.clone();
    beside["oneOf"] = either["oneOf"].clone();
    let wider = json!({ "type": "object", "properties": { "hits": { "type": "integer" } } });
    let narrower =
        json!({ "type": "object", "properties": { "hits": { "type": "string" }, "more": { "type": "string" } } });
    let forms = [
        ("beside", beside, "pub page: "),
        ("in a part", json!({ "allOf": [either, own] }), "pub page: "),
        (
            "in a referenced part",
            json!({ "allOf": [{ "$ref": "#/components/schemas/Either" }, own] }),
            "pub page: ",
        ),
        (
            "of parts that differ",
            json!({ "allOf": [wider, narrower] }),
            "pub more: Option<String>",
        ),
        (
            "with an absent one",
            json!({ "type": "object", "required": ["hits", "other"], "properties": own["properties"] }),
            "pub other: ",
        ),
        (
            "with a discriminator",
            json!({ "type": "object", "properties": own["properties"], "discriminator": { "propertyName": "hits" } }),
            "pub hits",
        ),
    ];
    for (form, schema, expected) in forms {
        let (text, coverage) = model("Thing", &json!({ "Thing": schema, "Either": either }));
        assert!(
            text.contains("pub hits: ") && text.contains(expected),
            "{form}: {:?}\n{text}",
            coverage.ignored
        );
        assert_eq!(coverage.share(Measure::Whole).kept, 1, "{form}: {:?}", coverage.missing);
        let properties = coverage.share(Measure::Properties);
        assert_eq!(properties.kept, properties.all, "{form}: {:?}", coverage.missing);
    }
}

#[test]
fn a_value_that_becomes_any_json_is_counted() {
    let (_, coverage) = model(
        "Thing",
        &json!({ "Thing": { "type": "object", "properties": {
        "nothing": { "type": "null" },
        "any": {},
    } } }),
    );
    let (properties, typed) = (coverage.share(Measure::Properties), coverage.share(Measure::Typed));
    assert_eq!(
        (properties.kept, typed.kept, typed.all),
        (2, 1, 2),
        "{:?}",
        coverage.missing
    );
    assert_eq!(
        coverage.missing,
        ["the type of the property `nothing` of the schema `Thing`"]
    );
}

#[test]
fn a_body_without_a_schema_is_any_json() {
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "200": { "description": "", "content": { "application/json": { "example": { "a": 1 } } } } },
    });
    let generated = generated(&document(&operation, &json!({})));
    let coverage = coverage(&generated);
    assert_eq!(coverage.share(Measure::Whole).kept, 1, "{}", generated.notes);
    let mut client = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/client/"));
    assert!(client.any(|file| file.text.contains("JsonValue")));
}

#[test]
fn null_is_kept_by_what_changes_its_form() {
    let null_in_a_choice = json!({ "anyOf": [
        { "type": "string", "enum": ["a"], "nullable": true },
        { "type": "string", "enum": ["b"] },
    ] });
    let tuple = json!({ "type": "array", "nullable": true, "prefixItems": [{ "type": "string" }], "maxItems": 1 });
    let branches = json!({ "type": "object", "nullable": true, "properties": { "a": { "type": "string" } },
        "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    let beside = json!({ "type": "object", "nullable": true, "properties": { "a": { "type": "string" } },
        "oneOf": [{ "type": "object", "properties": { "b": { "type": "string" } } },
            { "type": "object", "properties": { "c": { "type": "string" } } }] });
    for schema in [null_in_a_choice, tuple, branches, beside] {
        let thing = json!({ "type": "object", "required": ["it"], "properties": { "it": schema } });
        let (text, _) = model("Thing", &json!({ "Thing": thing }));
        assert!(text.contains("pub it: Option<"), "{schema}: {text}");
    }
}

#[test]
fn a_default_beside_errors_is_an_error() {
    let body = json!({ "application/json": { "schema": { "type": "object", "properties": { "code": { "type": "integer" } } } } });
    let operation = json!({
        "operationId": "getThing",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": { "404": { "description": "" }, "default": { "description": "", "content": body } },
    });
    let generated = generated(&document(&operation, &json!({})));
    let coverage = coverage(&generated);
    let errors = coverage.share(Measure::Errors);
    assert_eq!((errors.kept, errors.all), (2, 2), "{:?}", coverage.missing);
}
