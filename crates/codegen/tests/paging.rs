//! Pagination of third-party documents, which the tolerant profile finds by names and types.

use serde_json::{Map, Value, json};
use wearlab_codegen::{Generated, Input, Profile};

fn text() -> Value {
    json!({ "type": "string" })
}

fn integer() -> Value {
    json!({ "type": "integer", "format": "int32" })
}

fn pets() -> Value {
    json!({ "type": "array", "items": { "$ref": "#/components/schemas/Pet" } })
}

fn object(properties: &[(&str, Value)]) -> Value {
    let properties: Map<_, _> = properties
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    json!({ "type": "object", "properties": properties })
}

fn required(properties: &[(&str, Value)]) -> Value {
    let mut schema = object(properties);
    schema["required"] = properties.iter().map(|(name, _)| *name).collect();
    schema
}

/// A document with one list. Headers of the response are `headers`.
fn document(parameters: &[(&str, Value)], page: &Value, headers: &Value) -> String {
    let parameters = parameters
        .iter()
        .map(|(name, schema)| json!({ "name": name, "in": "query", "schema": schema }));
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Pets", "version": "1" },
        "paths": { "/pets": { "get": {
            "operationId": "listPets",
            "parameters": parameters.collect::<Vec<_>>(),
            "responses": { "200": {
                "description": "",
                "headers": headers,
                "content": { "application/json": { "schema": page } },
            } },
        } } },
        "components": { "schemas": { "Pet": required(&[("id", text()), ("name", text())]) } },
    })
    .to_string()
}

fn generated(document: &str) -> Generated {
    let input = Input::new("pets.json", document).with_profile(Profile::Tolerant);
    input.generate().unwrap_or_else(|error| panic!("{error}"))
}

/// The implementation of pagination in the client, with single spaces.
fn paging(document: &str) -> Option<String> {
    let generated = generated(document);
    let paged = generated.coverage.as_ref().expect("a coverage").paged;
    let client = generated
        .files
        .iter()
        .find(|file| file.path.starts_with("crates/client/") && file.text.contains("pub struct ListPets"));
    let text = &client.expect("the client of the list").text;
    assert_eq!(text.contains("pub fn stream(self)"), paged == 1, "{text}");
    let begun = text.split_once("impl<'a> PagedCall<'a> for ListPets<'a>")?.1;
    Some(begun.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Code without spaces, and without the last commas of long lists.
fn dense(code: &str) -> String {
    code.split_whitespace().collect::<String>().replace(",)", ")")
}

fn finds(parameters: &[(&str, Value)], page: &Value, parts: &[&str]) {
    let found = paging(&document(parameters, page, &json!({})));
    let found = found.unwrap_or_else(|| panic!("no pages: {parameters:?} {page}"));
    for part in parts {
        assert!(dense(&found).contains(&dense(part)), "{part} is not in {found}");
    }
}

#[track_caller]
fn finds_nothing(parameters: &[(&str, Value)], page: &Value) {
    assert_eq!(paging(&document(parameters, page, &json!({}))), None);
}

#[test]
fn cursors_are_found() {
    let nullable = json!({ "type": "string", "nullable": true });
    finds(
        &[("page_token", nullable.clone()), ("limit", integer())],
        &required(&[("items", pets()), ("next_page", nullable)]),
        &[
            "const ITEMS: &'static str = \"items\";",
            "self.page_token = Some(position);",
            "positions::in_url(page.next_page.as_deref(), \"page_token\")",
            "fn into_items(page: Self::Page) -> Vec<Self::Item> { page.items }",
        ],
    );
    finds(
        &[("pageToken", text())],
        &object(&[
            ("nextPageToken", text()),
            ("pets", pets()),
            ("unreachable", json!({ "type": "array", "items": text() })),
        ]),
        &[
            "Ok(positions::cursor(page.next_page_token.as_deref()))",
            "const ITEMS: &'static str = \"pets\";",
        ],
    );
    finds(
        &[("continue", text())],
        &required(&[("items", pets()), ("metadata", object(&[("continue", text())]))]),
        &["positions::cursor(page.metadata.continue_.as_deref())"],
    );
    finds(
        &[("after", text())],
        &object(&[
            ("results", pets()),
            ("paging", object(&[("next", required(&[("after", text())]))])),
        ]),
        &["page.paging.as_ref().and_then(|value| { value.next.as_ref().map(|value| value.after.as_str()) })"],
    );
    finds(
        &[("cursor", text())],
        &object(&[
            ("data", required(&[("pets", pets())])),
            ("has_more", json!({ "type": "boolean" })),
            ("next_cursor", text()),
        ]),
        &[
            "if page.has_more == Some(false) { return Ok(None); }",
            "page.data.map(|value| value.pets).unwrap_or_default()",
            "const ITEMS: &'static str = \"data.pets\";",
        ],
    );
}

#[test]
fn the_last_item_is_a_cursor_where_a_boolean_ends_the_list() {
    let more = json!({ "type": "boolean" });
    finds(
        &[("starting_after", text()), ("limit", integer())],
        &required(&[("data", pets()), ("has_more", more.clone())]),
        &[
            "if !page.has_more { return Ok(None); }",
            "positions::cursor(page.data.last().map(|item| item.id.as_str()))",
        ],
    );
    finds_nothing(&[("starting_after", text())], &required(&[("data", pets())]));
    finds_nothing(&[("after", text())], &required(&[("data", pets()), ("has_more", more)]));
}

#[test]
fn urls_of_next_pages_are_found() {
    let url = json!({ "type": "string", "format": "uri", "nullable": true });
    finds(
        &[("page", integer())],
        &required(&[("count", integer()), ("next", url), ("results", pets())]),
        &[
            "type Position = i32;",
            "positions::in_url(page.next.as_deref(), \"page\")",
        ],
    );
    let link = json!({ "Link": { "schema": text() } });
    let found = paging(&document(
        &[("page", integer()), ("per_page", integer())],
        &pets(),
        &link,
    ));
    let found = found.expect("pages");
    assert!(found.contains("type Page = Vec<models::Pet>;"), "{found}");
    assert!(
        found.contains("positions::in_link(page.headers(), \"page\")"),
        "{found}"
    );
    assert!(found.contains("const ITEMS: &'static str = \"\";"), "{found}");
}

#[test]
fn counted_pages_are_found_where_their_first_number_is_known() {
    let size = ("limit", integer());
    finds(
        &[("offset", integer()), size.clone()],
        &object(&[("pets", pets()), ("total", json!({ "type": "integer" }))]),
        &["positions::offset(self.offset.map_or(0i64, i64::from), page.pets.len(), page.total.map(i64::from))"],
    );
    let from = |first: i64| json!({ "type": "integer", "default": first });
    let last = object(&[("pets", pets()), ("total_pages", json!({ "type": "integer" }))]);
    finds(
        &[("page", from(1)), size.clone()],
        &last,
        &["positions::page(self.page.unwrap_or(1i64), page.pets.len(), page.total_pages.map(i64::from))"],
    );
    finds(
        &[("page", from(0)), size.clone()],
        &last,
        &[
            "positions::page(self.page.unwrap_or(0i64), page.pets.len(), None)",
            "positions::fingerprint(page)",
        ],
    );
    finds(
        &[("page", json!({ "type": "integer", "minimum": 1 })), size.clone()],
        &pets(),
        &["positions::page(self.page.unwrap_or(1i64), page.len(), None)"],
    );
    // The first page may be 0 or 1.
    finds_nothing(&[("page", integer()), size.clone()], &pets());
    finds_nothing(&[("page", from(2)), size], &pets());
    // Not the size of a page.
    finds_nothing(&[("offset", integer())], &pets());
}

#[test]
fn lists_that_do_not_fit_are_none() {
    let next = ("next_cursor", text());
    let cursor = [("cursor", text())];
    // Two lists.
    finds_nothing(&cursor, &object(&[next.clone(), ("cats", pets()), ("dogs", pets())]));
    // No list.
    finds_nothing(&cursor, &object(&[next.clone(), ("name", text())]));
    // No position in the request, or one of another type.
    finds_nothing(&[("query", text())], &object(&[next.clone(), ("pets", pets())]));
    finds_nothing(&[("cursor", integer())], &object(&[next.clone(), ("pets", pets())]));
    let time = json!({ "type": "string", "format": "date-time" });
    finds_nothing(&[("after", time)], &object(&[("after", text()), ("pets", pets())]));
    // The cursor of this page.
    finds_nothing(&cursor, &object(&[("cursor", text()), ("pets", pets())]));
    let following = json!({ "type": "string", "description": "Send it to get the next page." });
    finds(
        &cursor,
        &object(&[("cursor", following), ("pets", pets())]),
        &["positions::cursor(page.cursor.as_deref())"],
    );
}

#[test]
fn commands_have_the_position() {
    let page = object(&[("next_page_token", text()), ("pets", pets())]);
    let generated = generated(&document(&[("page_token", text())], &page, &json!({})));
    let cli = generated
        .files
        .iter()
        .find(|file| file.path.starts_with("crates/cli/") && file.text.contains("pub const LIST_PETS"));
    let text = &cli.expect("the command").text;
    for part in [
        "position: Some(\"page",
        "call.list(request, |request| request.send_raw()).await",
    ] {
        assert!(dense(text).contains(&dense(part)), "{part} is not in {text}");
    }
}
