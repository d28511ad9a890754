//! Members that several parts of an `allOf` declare.

use serde_json::{Value, json};
use wearlab_codegen::{Generated, Input, Profile};

/// A document whose operation returns the schema `It`, with others.
fn generated(schemas: &Value) -> Generated {
    let text = json!({
        "openapi": "3.1.0",
        "info": { "title": "Parts", "version": "1" },
        "paths": { "/it": { "get": { "operationId": "getIt", "responses": { "200": {
            "description": "", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/It" } } },
        } } } } },
        "components": { "schemas": schemas },
    });
    let text = text.to_string();
    let input = Input::new("it.json", &text).with_profile(Profile::Tolerant);
    input.generate().unwrap_or_else(|error| panic!("{error}"))
}

/// The text of all models, without white space.
fn models(generated: &Generated) -> String {
    let models = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models/"));
    models.flat_map(|file| file.text.split_whitespace()).collect()
}

fn object(members: Value) -> Value {
    json!({ "type": "object", "properties": members })
}

#[test]
fn objects_of_two_parts_have_the_members_of_both() {
    let daily = |members: Value| object(json!({ "daily": object(members) }));
    let generated = generated(&json!({
        "It": { "allOf": [
            { "$ref": "#/components/schemas/Editable" },
            daily(json!({ "count": { "type": "integer" } })),
        ], "required": ["daily"] },
        "Editable": daily(json!({ "limit": { "type": "integer" } })),
    }));
    let models = models(&generated);
    assert!(models.contains("pubdaily:ItDaily,"), "{models}");
    let both = models.split_once("pubstructItDaily{").expect("a struct").1;
    let fields = both.split_once('}').expect("its end").0;
    assert!(
        fields.contains("publimit:Option<i64>") && fields.contains("pubcount:Option<i64>"),
        "{fields}"
    );
    assert!(generated.notes.list().is_empty(), "{}", generated.notes);
}

#[test]
fn items_of_two_parts_have_the_members_of_both() {
    let list = |members: Value| object(json!({ "all": { "type": "array", "items": object(members) } }));
    let generated = generated(&json!({ "It": { "allOf": [
        list(json!({ "a": { "type": "string" } })),
        list(json!({ "b": { "type": "string" } })),
    ] } }));
    let models = models(&generated);
    assert!(models.contains("puball:Vec<ItAllItem>"), "{models}");
    let both = models.split_once("pubstructItAllItem{").expect("a struct").1;
    let fields = both.split_once('}').expect("its end").0;
    assert!(
        fields.contains("puba:Option<String>") && fields.contains("pubb:Option<String>"),
        "{fields}"
    );
    assert!(generated.notes.list().is_empty(), "{}", generated.notes);
}

#[test]
fn a_part_that_says_more_is_kept() {
    let data = |first: &Value, second: &Value| {
        json!({
            "It": { "allOf": [{ "$ref": "#/components/schemas/Wrapper" }, object(json!({ "data": second }))] },
            "Wrapper": object(json!({ "data": first })),
            "Thing": object(json!({ "name": { "type": "string" } })),
            "Kind": { "type": "string", "enum": ["big", "small"] },
        })
    };
    let thing = json!({ "$ref": "#/components/schemas/Thing" });
    let any = json!({ "type": "object" });
    let list = |items: &Value| json!({ "type": "array", "items": items });
    let (text, kind) = (
        json!({ "type": "string" }),
        json!({ "$ref": "#/components/schemas/Kind" }),
    );
    for (first, second, kept) in [
        (&any, &thing, "pubdata:Option<Thing>"),
        (&thing, &any, "pubdata:Option<Thing>"),
        (&list(&any), &list(&thing), "pubdata:Vec<Thing>"),
        (&text, &kind, "pubdata:Option<Kind>"),
    ] {
        let generated = generated(&data(first, second));
        let models = models(&generated);
        let it = models.split_once("pubstructIt{").expect("a struct").1;
        assert!(it.split_once('}').expect("its end").0.contains(kept), "{kept}: {it}");
        assert!(generated.notes.list().is_empty(), "{}", generated.notes);
    }
    let generated = generated(&data(&text, &json!({ "type": "integer" })));
    let notes = generated.notes.to_string();
    assert!(notes.contains("`properties/data` differs between the parts"), "{notes}");
}

#[test]
fn circular_parts_end() {
    let node = |next: &str| object(json!({ "next": { "$ref": format!("#/components/schemas/{next}") } }));
    let generated = generated(&json!({
        "It": { "allOf": [{ "$ref": "#/components/schemas/A" }, { "$ref": "#/components/schemas/B" }] },
        "A": node("A"),
        "B": node("B"),
    }));
    assert!(
        models(&generated).contains("pubnext:Option<Box<ItNext>>")
            || models(&generated).contains("pubnext:Option<ItNext>")
    );
}
