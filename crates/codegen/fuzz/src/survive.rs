//! Properties of any document: it is supported, or rejected with locations; never a panic, never an internal error.

use std::ops::Range;

use wearlab_codegen::{Diagnostics, Error};

const FILE: &str = "edited.yaml";

/// Whether the document passes the checks.
pub(crate) fn check(text: &str) -> bool {
    let first = wearlab_codegen::check(FILE, text);
    assert!(first == wearlab_codegen::check(FILE, text), "two runs differ");
    if let Err(rejections) = &first {
        located(rejections, text);
    }
    first.is_ok()
}

/// Compiles a document that passed the checks.
pub(crate) fn generate(text: &str) {
    match wearlab_codegen::generate(FILE, text) {
        Ok(generated) => assert!(!generated.files.is_empty()),
        Err(Error::Document(rejections)) => located(&rejections, text),
        Err(other) => panic!("{other}"),
    }
}

fn located(rejections: &Diagnostics, text: &str) {
    assert!(!rejections.list().is_empty(), "rejected without a message");
    for rejection in rejections.list() {
        let spans = std::iter::once(&rejection.span).chain(rejection.related.iter().map(|(span, _)| span));
        for Range { start, end } in spans {
            assert!(
                start <= end && text.is_char_boundary(*start) && text.is_char_boundary(*end),
                "not a span of the document: {rejection:?}"
            );
        }
        assert!(!rejection.message.is_empty(), "rejected without a message");
    }
    let first = rejections.line_column(rejections.list()[0].span.start);
    let shown = rejections.to_string();
    let place = format!("--> {FILE}:{}:{}", first.0, first.1);
    assert!(shown.contains(&place), "{place} is not in:\n{shown}");
}
