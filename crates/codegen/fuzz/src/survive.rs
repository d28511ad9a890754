//! What holds for any document: it is carried, or refused with places in it; never a panic, never an internal error.

use std::ops::Range;

use wearlab_codegen::{Diagnostics, Error};

const FILE: &str = "edited.yaml";

/// Whether the document passes the checks.
pub(crate) fn check(text: &str) -> bool {
    let first = wearlab_codegen::check(FILE, text);
    assert!(first == wearlab_codegen::check(FILE, text), "two runs differ");
    if let Err(refusals) = &first {
        located(refusals, text);
    }
    first.is_ok()
}

/// Compiles a document that passed the checks.
pub(crate) fn generate(text: &str) {
    match wearlab_codegen::generate(FILE, text) {
        Ok(generated) => assert!(!generated.files.is_empty()),
        Err(Error::Document(refusals)) => located(&refusals, text),
        Err(other) => panic!("{other}"),
    }
}

fn located(refusals: &Diagnostics, text: &str) {
    assert!(!refusals.list().is_empty(), "refused without a word");
    for refusal in refusals.list() {
        let spans = std::iter::once(&refusal.span).chain(refusal.related.iter().map(|(span, _)| span));
        for Range { start, end } in spans {
            assert!(
                start <= end && text.is_char_boundary(*start) && text.is_char_boundary(*end),
                "no place in the document: {refusal:?}"
            );
        }
        assert!(!refusal.message.is_empty(), "refused without a word");
    }
    let first = refusals.line_column(refusals.list()[0].span.start);
    let shown = refusals.to_string();
    let place = format!("--> {FILE}:{}:{}", first.0, first.1);
    assert!(shown.contains(&place), "{place} is not in:\n{shown}");
}
