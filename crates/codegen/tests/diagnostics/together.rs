//! Cases beyond a single mistake: several in one document, families of rejected words and names, valid documents.

use wearlab_codegen::{Code, Diagnostics, Error, generate};

use super::{SMALL, diagnostics_of};

/// The small document with a part replaced, which it must contain.
fn changed(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "the small document has no {from:?}");
    SMALL.replacen(from, to, 1)
}

fn codes(diagnostics: &Diagnostics) -> Vec<Code> {
    diagnostics.list().iter().map(|diagnostic| diagnostic.code).collect()
}

fn lines(diagnostics: &Diagnostics) -> Vec<usize> {
    let places = diagnostics.list().iter().map(|diagnostic| diagnostic.span.start);
    places.map(|start| diagnostics.line_column(start).0).collect()
}

/// The line of the small document that holds a text.
fn line_of(text: &str) -> usize {
    let index = SMALL.lines().position(|line| line.contains(text));
    index.unwrap_or_else(|| panic!("the small document has no {text:?}")) + 1
}

#[test]
fn syntax_and_semantic_mistakes_are_in_the_documents_order() {
    let text = changed("operationId: get_thing", "operationId: getThing")
        .replace("in: header", "in: body")
        .replacen("name:\n          type: string", "name:\n          type: sting", 1)
        .replace("- small", "- other");
    let diagnostics = diagnostics_of("small.yaml", &text);
    let places = ["operationId: get_thing", "in: header", "        name:", "- small"].map(line_of);
    // The type of the property is on the line after its name.
    assert_eq!(lines(&diagnostics), [places[0], places[1], places[2] + 1, places[3]]);
    assert_eq!(
        codes(&diagnostics),
        [
            Code::OperationId,
            Code::SecuritySchemeKind,
            Code::UnknownType,
            Code::EnumCatchAll
        ]
    );
    assert!(diagnostics.to_string().ends_with("4 errors in small.yaml"));
}

#[test]
fn a_repeated_tag_of_the_file_hides_no_other_mistake() {
    let text =
        changed("operationId: get_thing", "operationId: getThing").replacen("tags:\n", "x-tag: things\ntags:\n", 1);
    let diagnostics = diagnostics_of("small.yaml", &text);
    let repeated = SMALL.matches("- things\n").count() + SMALL.matches("x-tag: things\n").count();
    let codes = codes(&diagnostics);
    let count = |code| codes.iter().filter(|other| **other == code).count();
    assert_eq!(count(Code::OperationId), 1, "{diagnostics}");
    // The list of required properties has one of this name, too.
    assert_eq!(count(Code::DefaultRepeated), repeated - 1, "{diagnostics}");
    assert_eq!(codes.len(), repeated, "{diagnostics}");
}

#[test]
fn all_mistakes_of_an_operation_are_reported_in_one_run() {
    let text = changed("operationId: get_thing", "operationId: getThing")
        .replacen(
            "        - things\n      security:\n        - key: []",
            "        - thongs\n      security: [key]",
            1,
        )
        .replacen("in: path", "in: pat", 1)
        .replacen("application/json:", "text/*:", 1);
    assert_eq!(
        codes(&diagnostics_of("small.yaml", &text)),
        [
            Code::OperationId,
            Code::UnknownTag,
            Code::SecurityRequirement,
            Code::ParameterLocation,
            Code::MediaType
        ]
    );
}

#[test]
fn a_rejected_part_is_not_reported_again_where_it_is_used() {
    for (from, to, code) in [
        // The schema of a page, of an item, of a parameter, of an event.
        (
            "    ThingList:\n      x-tag: things\n      type: object",
            "    ThingList:\n      x-tag: things\n      typ: object",
            Code::UnknownKey,
        ),
        (
            "        total:\n          type: integer",
            "        total:\n          type: integr",
            Code::UnknownType,
        ),
        (
            "          items:\n            $ref: \"#/components/schemas/Thing\"",
            "          items:\n            $ref: \"#/components/schemas/Tong\"",
            Code::ReferenceMissing,
        ),
        (
            "        event_type:\n          type: string",
            "        event_type:\n          format: uuid",
            Code::NoType,
        ),
        (
            "            type: integer\n            minimum: 0",
            "            type: array\n            minimum: 0",
            Code::NoItems,
        ),
        (
            "            $ref: \"#/components/schemas/Problem\"",
            "            $ref: \"#/components/schemas/Problems\"",
            Code::ReferenceMissing,
        ),
        (
            "      parameters:\n        - name: thing_id",
            "      parameter:\n        - name: thing_id",
            Code::UnknownKey,
        ),
        ("        - name: thing_id", "        - nam: thing_id", Code::UnknownKey),
        (
            "  - url: \"{base_url}\"\n    variables:",
            "  - url: \"{base_url}\"\n    variable:",
            Code::UnknownKey,
        ),
        ("    post:", "    pots:", Code::UnknownKey),
    ] {
        let diagnostics = diagnostics_of("small.yaml", &changed(from, to));
        assert!(codes(&diagnostics).contains(&code), "{diagnostics}");
        let before = SMALL.split(from).next().expect("text before it").lines().count();
        let near = before..=before + from.lines().count() + 1;
        let places = lines(&diagnostics);
        assert!(places.iter().all(|line| near.contains(line)), "{to:?}:\n{diagnostics}");
    }
}

#[test]
fn ambiguous_yaml_scalars_must_be_quoted() {
    for word in [
        "yes", "Y", "N", "off", "0x1F", "0o17", "012", "1_000", "12:30", ".inf", "True", "NULL",
    ] {
        let value = diagnostics_of("small.yaml", &changed("title: Small", &format!("title: {word}")));
        assert_eq!(codes(&value), [Code::AmbiguousValue], "{word}");
        let quoted = changed("title: Small", &format!("title: \"{word}\""));
        generate("small.yaml", &quoted).unwrap_or_else(|error| panic!("{error}"));
    }
    for word in ["no", "on", "Yes", "null", "true", "12:30", "~"] {
        let text = changed("title: Small", &format!("title: Small\n  {word}: x"));
        assert_eq!(
            codes(&diagnostics_of("small.yaml", &text)),
            [Code::AmbiguousKey],
            "{word}"
        );
    }
    // One letter is a name, such as that of a coordinate.
    for word in ["y", "Y", "n", "N"] {
        let text = changed(
            "        kind:\n",
            &format!("        {word}:\n          type: integer\n        kind:\n"),
        );
        generate("small.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn names_do_not_collide_with_those_of_generated_code() {
    for (name, code) in [
        ("call", Code::OperationIdTaken),
        ("retry_policy", Code::OperationIdTaken),
        ("clone", Code::OperationIdTaken),
        ("stream", Code::OperationIdTaken),
        // A credential of the document.
        ("key", Code::OperationIdTaken),
        ("gen", Code::OperationId),
        ("Get", Code::OperationId),
    ] {
        let text = changed("operationId: get_thing", &format!("operationId: {name}"));
        assert_eq!(codes(&diagnostics_of("small.yaml", &text)), [code], "{name}");
    }
    // Methods of the standard prelude that `Arc` has too, or that are found by value before those by reference.
    for name in ["as_ref", "clone", "clone_from", "drop", "into", "to_owned", "try_into"] {
        let operation = changed("operationId: get_thing", &format!("operationId: {name}"));
        assert_eq!(
            codes(&diagnostics_of("small.yaml", &operation)),
            [Code::OperationIdTaken],
            "{name}"
        );
        let scheme = SMALL
            .replace("key: []", &format!("{name}: []"))
            .replace("    key:\n", &format!("    {name}:\n"));
        assert_eq!(
            codes(&diagnostics_of("small.yaml", &scheme)),
            [Code::SecuritySchemeName],
            "{name}"
        );
    }
    for (name, code) in [
        ("Option", Code::SchemaNameTaken),
        ("Page", Code::SchemaNameTaken),
        ("ParseEnumError", Code::SchemaNameTaken),
        ("Self", Code::SchemaName),
        ("HRVSample", Code::SchemaName),
    ] {
        let schema = format!("    {name}:\n      x-tag: things\n      type: string\n      enum: [a]\n    Kind:\n");
        let text = changed("    Kind:\n", &schema);
        assert_eq!(codes(&diagnostics_of("small.yaml", &text)), [code], "{name}");
    }
    // `PartialApi` is a trait of its own.
    for name in ["models", "partial", "std", "gen", "type", "Things", "2nd"] {
        let tag = format!("tags:\n  - name: {name}\n    description: More.\n");
        assert_eq!(
            codes(&diagnostics_of("small.yaml", &changed("tags:\n", &tag))),
            [Code::TagName],
            "{name}"
        );
    }
}

/// A file of the server that is generated for a document.
fn server_file(text: &str, name: &str) -> String {
    let generated = generate("small.yaml", text).unwrap_or_else(|error| panic!("{error}"));
    let path = format!("crates/server/src/generated/{name}.rs");
    let file = generated.files.into_iter().find(|file| file.path == path);
    file.unwrap_or_else(|| panic!("{path} is missing")).text
}

#[test]
fn only_tags_of_operations_have_a_trait() {
    let text = changed("tags:\n", "tags:\n  - name: empty\n    description: More.\n");
    let api = server_file(&text, "api");
    assert!(api.contains("pub trait Api: Auth + ThingsApi {}"), "{api}");
    let (before, rest) = SMALL.split_once("paths:\n").expect("paths");
    let (_, after) = rest.split_once("webhooks:\n").expect("webhooks");
    let text = format!("{before}paths: {{}}\nwebhooks:\n{after}");
    let api = server_file(&text, "api");
    assert!(
        api.contains("pub trait Api: Auth {}\n\nimpl<T: Auth> Api for T {}"),
        "{api}"
    );
    let partial = server_file(&text, "partial");
    assert!(partial.contains("pub trait PartialApi: Auth {}"), "{partial}");
}

#[test]
fn names_of_properties_are_not_keywords() {
    let text = changed(
        "        kind:\n          $ref: \"#/components/schemas/Kind\"",
        "        default: { $ref: \"#/components/schemas/Kind\" }
        parameters: { type: array, items: { $ref: \"#/components/schemas/Kind\" } }
        examples: { $ref: \"#/components/schemas/Kind\" }",
    );
    if let Err(error) = generate("small.yaml", &text) {
        panic!("{error}");
    }
    let text = text.replace(
        "default: { $ref: \"#/components/schemas/Kind",
        "default: { $ref: \"#/components/schemas/None",
    );
    assert_eq!(codes(&diagnostics_of("small.yaml", &text)), [Code::ReferenceMissing]);
}

#[test]
fn an_object_may_contain_itself_optionally() {
    for property in [
        "{ $ref: \"#/components/schemas/Thing\" }",
        "{ type: array, items: { $ref: \"#/components/schemas/Thing\" } }",
    ] {
        let text = changed("        kind:\n", &format!("        part: {property}\n        kind:\n"));
        generate("small.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_misspelled_key_is_reported_once() {
    let all: Vec<_> = SMALL.lines().collect();
    let mut rejected = 0;
    for (index, line) in all.iter().enumerate() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let Some((start, swapped)) = key.len().checked_sub(2).map(|at| key.split_at(at)) else {
            continue;
        };
        let typo: String = swapped.chars().rev().collect();
        let typo = format!("{start}{typo}:{value}");
        let mut text = all.clone();
        text[index] = &typo;
        let Err(Error::Document(diagnostics)) = generate("small.yaml", &text.join("\n")) else {
            continue;
        };
        rejected += 1;
        // A misspelled name also breaks the references to it.
        let users = [Code::UnknownSecurityScheme, Code::ReferenceMissing];
        let once = diagnostics.list().len() == 1 || codes(&diagnostics).iter().all(|code| users.contains(code));
        assert!(once, "{typo:?}:\n{diagnostics}");
    }
    assert!(rejected > 90, "only {rejected} typos were rejected");
}
