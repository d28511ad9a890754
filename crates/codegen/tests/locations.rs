//! Locations of diagnostics in unusual documents: long lines, odd line ends, deep nesting.

use wearlab_codegen::{Diagnostics, check};

fn rejections(text: &str) -> Diagnostics {
    check("odd.yaml", text).expect_err("the document is rejected")
}

/// Line and column of the first rejection, and its message.
fn first(text: &str) -> (usize, usize, String) {
    let rejections = rejections(text);
    let first = &rejections.list()[0];
    let (line, column) = rejections.line_column(first.span.start);
    (line, column, first.message.clone())
}

#[test]
fn lines_and_columns_match_a_count() {
    let text = format!("swagger: é👩x\r\nb: \"{}\"\n\n\tc", "é👩x".repeat(200));
    let rejections = rejections(&text);
    for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().expect("there is a line").chars().count() + 1;
        assert_eq!(rejections.line_column(offset), (line, column), "at {offset}");
    }
}

#[test]
fn a_document_in_one_line_is_shown_in_parts() {
    let many: Vec<_> = (0..500).map(|i| format!("\"k{i}é\":{i}")).collect();
    let text = format!("{{\"openapi\":\"3.1.1\",{}}}", many.join(","));
    let rejections = rejections(&text);
    let shown = rejections.to_string();
    for (index, rejection) in rejections.list().iter().enumerate().skip(5) {
        let column = text[..rejection.span.start].chars().count() + 1;
        assert!(text[rejection.span.clone()].starts_with("\"k"), "{rejection:?}");
        assert!(
            shown.contains(&format!("--> odd.yaml:1:{column}\n")),
            "{index}: {column}"
        );
    }
    assert!(shown.contains("]: `k499é`"), "{shown}");
    assert!(shown.lines().all(|line| line.len() < 400), "a line is shown whole");
}

#[test]
fn the_length_of_the_output_grows_with_the_document() {
    let mistakes = |count: usize| {
        let schemas: String = (0..count)
            .map(|i| {
                format!(
                    "    A{i}: {{type: object, x-tag: a, properties: {{b: {{$ref: '#/components/schemas/No'}}}}}}\n"
                )
            })
            .collect();
        let text = format!("openapi: 3.1.1\ncomponents:\n  schemas:\n{schemas}");
        let rejections = rejections(&text);
        assert!(rejections.list().len() >= count);
        rejections.to_string().len()
    };
    let (some, more) = (mistakes(100), mistakes(400));
    assert!(more < 5 * some, "{some} bytes for 100 schemas, {more} for 400");
}

#[test]
fn a_distant_location_is_shown_separately() {
    let text = format!("a: 1\n{}a: 2\n", "# far\n".repeat(2000));
    let shown = rejections(&text).to_string();
    for part in [
        "--> odd.yaml:2002:1\n",
        "::: odd.yaml:1:1\n",
        "1 | a: 1\n",
        "2002 | a: 2\n",
    ] {
        assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
    }
    assert!(shown.len() < 500, "{shown}");
}

#[test]
fn deep_nesting_is_refused_where_it_is_too_deep() {
    let block: String = (0..2000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    for (text, line) in [
        (format!("x: {}", "[".repeat(10_000)), 1),
        (format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000)), 1),
        ("- ".repeat(10_000), 1),
        (block, 130),
    ] {
        let (at, _, message) = first(&text);
        assert_eq!(message, "nesting is deeper than 128 levels");
        assert_eq!(at, line);
    }
}

#[test]
fn a_control_character_is_not_reported_as_indentation() {
    let shown = rejections("a: \"\u{9f}\"").to_string();
    assert!(
        shown.contains("odd.yaml:1:5") && shown.contains("remove the control character"),
        "{shown}"
    );
}

#[test]
fn json_has_control_characters() {
    assert_eq!(first("{\"a\": \"\u{9f}\"}").2, "`openapi` is missing");
}

#[test]
fn a_parameter_that_is_refused_is_declared_all_the_same() {
    let small = include_str!("small.yaml");
    let text = small.replacen(
        "in: path\n          required: true\n          schema:\n            type: string",
        "in: path\n          required: true\n          schema:\n            type: object",
        1,
    );
    assert_ne!(text, small);
    let messages: Vec<_> = rejections(&text)
        .list()
        .iter()
        .map(|rejection| rejection.message.clone())
        .collect();
    assert_eq!(
        messages,
        [
            "a parameter must be a string, an integer, a number, a boolean, an enum, or a list of these; this one is an object"
        ]
    );
}

#[test]
fn odd_characters_do_not_shift_locations() {
    for (text, place) in [
        ("a: 1\r\nb: yes\r\n", (2, 4)),
        ("\u{feff}a: 1\nb: yes\n", (2, 4)),
        ("a: 1\nb:\t\tyes\n", (2, 5)),
        ("é: \"👩‍👩‍👧\"\n中: yes\n", (2, 4)),
        ("{\"a\": 1, é: yes}", (1, 13)),
        ("a: 1\nb: \0\n", (2, 4)),
        ("\0", (1, 1)),
        ("a:\n\t- b\n", (2, 2)),
    ] {
        let (line, column, message) = first(text);
        assert_eq!((line, column), place, "{text:?}: {message}");
        assert!(
            rejections(text)
                .to_string()
                .contains(&format!("--> odd.yaml:{line}:{column}"))
        );
    }
}
