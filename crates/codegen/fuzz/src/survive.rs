//! Properties of any document: it is supported, or rejected with locations; never a panic, never an internal error.

use wearlab_codegen::{Diagnostics, Error};

use crate::project;

const FILE: &str = "openapi.yaml";

/// Returns whether the document passes the checks. `twice` compares them with those of a second run.
pub(crate) fn check(text: &str, twice: bool) -> bool {
    let first = project::with(FILE, text, |input| input.check());
    assert!(
        !twice || first == project::with(FILE, text, |input| input.check()),
        "two runs differ"
    );
    if let Err(rejections) = &first {
        located(rejections);
    }
    first.is_ok()
}

/// Compiles a document that passed the checks.
pub(crate) fn generate(text: &str) {
    match project::with(FILE, text, |input| input.generate()) {
        Ok(generated) => assert!(!generated.files.is_empty()),
        Err(Error::Document(rejections)) => located(&rejections),
        Err(other) => panic!("{other}"),
    }
}

fn located(rejections: &Diagnostics) {
    assert!(!rejections.list().is_empty(), "rejected without a message");
    for rejection in rejections.list() {
        let spans = std::iter::once(&rejection.span).chain(rejection.related.iter().map(|(span, _)| span));
        for span in spans {
            assert!(
                rejections.text(span).is_some(),
                "not a span of the document: {rejection:?}"
            );
        }
        assert!(!rejection.message.is_empty(), "rejected without a message");
    }
    let first = rejections.list()[0].span.start;
    let (line, column) = rejections.line_column(first);
    let shown = rejections.to_string();
    let place = format!("--> {}:{line}:{column}", rejections.file(first));
    assert!(shown.contains(&place), "{place} is not in:\n{shown}");
}
