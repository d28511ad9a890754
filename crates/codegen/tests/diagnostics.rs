//! Cases of each diagnostic, in the tables of `diagnostics/`: a document with one mistake, and its message.
//!
//! `INSTA_UPDATE=always cargo test -p wearlab-codegen diagnostics::` writes the messages into the tables: read
//! their diff.

mod table;
mod together;

use std::collections::BTreeSet;

use similar::TextDiff;
use table::{Case, Table};
use wearlab_codegen::{Code, Diagnostics, Error, Input, generate};

const SMALL: &str = include_str!("small.yaml");

/// The diagnostics of a document that must be rejected.
fn diagnostics_of(file: &str, text: &str) -> Diagnostics {
    match generate(file, text) {
        Ok(_) => panic!("{file}: the mistake was accepted:\n{text}"),
        Err(Error::Document(diagnostics)) => diagnostics,
        Err(other) => panic!("{file}: {other}"),
    }
}

/// The diagnostics of a case.
fn diagnostics_of_case(case: &Case) -> Result<Diagnostics, String> {
    let read = |name: &str| {
        let found = case.files.iter().find(|(file, _)| file == name);
        found
            .map(|(_, text)| text.clone())
            .ok_or_else(|| "there is no such file".to_owned())
    };
    let mut input = Input::new(case.file, &case.document);
    if !case.files.is_empty() {
        input = input.with_files(&read);
    }
    match input.generate() {
        Ok(_) => Err(format!("{}: the mistake was accepted", case.name)),
        Err(Error::Document(diagnostics)) => Ok(diagnostics),
        Err(other) => Err(format!("{}: {other}", case.name)),
    }
}

/// The message of a case, which must have one mistake, of its own code.
fn message(case: &Case) -> Result<String, String> {
    let diagnostics = diagnostics_of_case(case)?;
    let codes: Vec<_> = diagnostics.list().iter().map(|d| d.code.as_str()).collect();
    if codes != [case.code.as_str()] {
        return Err(format!("{}:\n{diagnostics}", case.name));
    }
    let text = diagnostics.to_string();
    let message = text.strip_suffix(&format!("\n1 error in {}", case.file));
    Ok(message.expect("the count of errors is at the end").to_owned())
}

#[test]
fn the_small_document_is_supported() {
    if let Err(error) = generate("small.yaml", SMALL) {
        panic!("{error}");
    }
}

#[test]
fn each_mistake_gives_one_message_with_its_own_code() {
    let mut wrong = String::new();
    for table in Table::all(SMALL) {
        let (messages, others): (Vec<_>, Vec<_>) = table.cases.iter().map(message).partition(Result::is_ok);
        if !others.is_empty() {
            others
                .into_iter()
                .filter_map(Result::err)
                .for_each(|other| wrong.push_str(&format!("{other}\n\n")));
            continue;
        }
        let messages: Vec<_> = messages.into_iter().filter_map(Result::ok).collect();
        if table::updating() {
            table.update(&messages);
            continue;
        }
        for (case, message) in table.cases.iter().zip(&messages) {
            if case.expected != *message {
                let diff = TextDiff::from_lines(&case.expected, message);
                wrong.push_str(&format!("{}:\n{}\n", case.name, diff.unified_diff()));
            }
        }
    }
    assert!(wrong.is_empty(), "messages differ from the tables:\n{wrong}");
}

/// Notes of the tolerant profile, and mistakes of overlays: `normalise.rs`, `swagger.rs`, `versions.rs`, `overlay.rs`.
const ELSEWHERE: [Code; 5] = [
    Code::WebhookProfile,
    Code::SwaggerPart,
    Code::LaterVersion,
    Code::OverlayForm,
    Code::OverlayTarget,
];

#[test]
fn every_code_has_a_case() {
    let tables = Table::all(SMALL);
    let cases = tables.iter().flat_map(|table| &table.cases);
    let tested: BTreeSet<_> = cases.map(|case| case.code.as_str()).collect();
    let codes = Code::ALL.iter().filter(|code| !ELSEWHERE.contains(code));
    let codes: BTreeSet<_> = codes.map(|code| code.as_str()).collect();
    assert_eq!(
        codes.len() + ELSEWHERE.len(),
        Code::ALL.len(),
        "two codes have one slug"
    );
    let missing: Vec<_> = codes.difference(&tested).collect();
    let unknown: Vec<_> = tested.difference(&codes).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "codes without a case: {missing:?}; cases without a code: {unknown:?}"
    );
}

#[test]
fn no_two_cases_have_the_same_heading() {
    let tables = Table::all(SMALL);
    let mut seen = BTreeSet::new();
    for case in tables.iter().flat_map(|table| &table.cases) {
        assert!(seen.insert(&case.name), "{} is used twice", case.name);
    }
}
