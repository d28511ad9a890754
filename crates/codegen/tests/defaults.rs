//! Equivalence of a document with defaults (`x-defaults`, `x-tag` of a file) and the one without.

use similar::TextDiff;
use wearlab_codegen::{Code, Error, diff, generate, parse};

const SHORT: &str = include_str!("features/defaults.yaml");
const WRITTEN: &str = include_str!("defaults/written.yaml");

#[test]
fn a_document_with_defaults_is_the_same_as_the_one_written_out() {
    let [short, written] = [SHORT, WRITTEN].map(|text| parse("defaults.yaml", text).expect("YAML"));
    // Texts, since the order of keys counts.
    let [short, written] = [short, written].map(|value| serde_json::to_string_pretty(&value).expect("JSON"));
    let diff = TextDiff::from_lines(&written, &short);
    assert!(written == short, "{}", diff.unified_diff());
}

#[test]
fn the_same_is_generated_of_both() {
    let [short, written] = [SHORT, WRITTEN].map(|text| {
        let generated = generate("defaults.yaml", text).unwrap_or_else(|error| panic!("{error}"));
        generated.files
    });
    assert_eq!(short, written);
}

#[test]
fn a_mistake_in_an_added_part_is_shown_once_in_its_rule() {
    let text = SHORT.replace("responses/DefaultBusy\" }", "responses/DefaultBsy\" }");
    let Err(Error::Document(diagnostics)) = generate("defaults.yaml", &text) else {
        panic!("a reference to nothing was accepted");
    };
    let [missing] = diagnostics.list() else {
        panic!("{diagnostics}");
    };
    assert_eq!(missing.code, Code::ReferenceMissing);
    let line = text[..missing.span.start].lines().count();
    let rule = text
        .lines()
        .position(|line| line.contains("DefaultBsy"))
        .map(|at| at + 1);
    assert_eq!(Some(line), rule, "{diagnostics}");
}

#[test]
fn defaults_are_no_change() {
    for (old, new) in [(SHORT, WRITTEN), (WRITTEN, SHORT)] {
        let changes = diff(("old.yaml", old), ("new.yaml", new)).unwrap_or_else(|error| panic!("{error}"));
        assert!(changes.is_empty(), "{changes:?}");
    }
}

#[test]
fn defaults_are_not_in_the_served_document() {
    let generated = generate("defaults.yaml", SHORT).unwrap_or_else(|error| panic!("{error}"));
    for file in generated.files {
        assert!(!file.text.contains("x-defaults"), "{}", file.path);
    }
}

#[test]
fn examples_of_schemas_are_added_to_json_bodies_alone() {
    let body = "content: { application/json: { schema";
    let with_charset = "content: { \"application/json; charset=utf-8\": { schema";
    let summary = "      summary: List with the defaults alone\n";
    let parameter = "      parameters: [{ name: like, in: query, content: { application/json: { schema: { $ref: \"#/components/schemas/DefaultThing\" } } } }]\n";
    let text = SHORT.replacen(body, with_charset, 1);
    let text = text.replacen(summary, &format!("{summary}{parameter}"), 1);
    let document = parse("defaults.yaml", &text).expect("YAML");
    let operation = &document["paths"]["/defaults"]["get"];
    let body = &operation["responses"]["200"]["content"]["application/json; charset=utf-8"];
    assert_eq!(body["example"]["tone"], "low", "{operation}");
    let parameter = &operation["parameters"][0]["content"]["application/json"];
    assert!(
        parameter.get("schema").is_some() && parameter.get("example").is_none(),
        "{parameter}"
    );
}

#[test]
fn conditions_see_media_types_without_parameters() {
    let text = SHORT.replacen(
        "application/x-ndjson: { schema",
        "\"application/x-ndjson; charset=utf-8\": { schema",
        1,
    );
    assert_ne!(text, SHORT);
    let document = parse("defaults.yaml", &text).expect("YAML");
    let operation = &document["paths"]["/defaults/{id}"]["post"];
    assert_eq!(operation["operationId"], "send_default_lines");
    assert!(operation.get("parameters").is_none(), "{operation}");
}
