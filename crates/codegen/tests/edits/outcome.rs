//! Effects of an edit, as a spec author reviews them: broken sides, and the changed lines of the generated files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use similar::TextDiff;
use wearlab_codegen::{Bump, Generated, diff};

use super::{FROZEN, edit};
use crate::project;

/// Lines around a change.
const CONTEXT: usize = 3;

static BEFORE: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| files(&FROZEN));

pub(crate) fn generated(text: &str) -> Generated {
    project::with("openapi.yaml", text, |input| {
        input.generate().unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The part of a version, from 1.0 on, that follows from an edit of the document, and the text for a reviewer.
pub(crate) fn of(edited: &str) -> (Bump, String) {
    let changes = project::with("openapi.yaml", &FROZEN, |before| {
        project::with("openapi.yaml", edited, |after| {
            diff(before, after).unwrap_or_else(|error| panic!("{error}"))
        })
    });
    let mut text: String = changes.iter().map(|change| format!("{change}\n")).collect();
    let after = files(edited);
    for path in BEFORE.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        let (old, new) = (BEFORE.get(path), after.get(path));
        if old != new {
            let name = |side: Option<&String>| side.map_or("nothing", |_| path).to_owned();
            let [before, after] = [old, new].map(|side| side.map_or("", String::as_str));
            let lines = TextDiff::from_lines(before, after);
            let mut lines = lines.unified_diff();
            let lines = lines.context_radius(CONTEXT).header(&name(old), &name(new));
            text.push_str(&format!("\n{lines}"));
        }
    }
    (Bump::needed(&changes, 1), text)
}

/// The generated files by path, and the table of choices, without the copies of the document itself: they change like
/// the edit.
fn files(text: &str) -> BTreeMap<String, String> {
    let Generated { files, assumptions, .. } = generated(text);
    let mut texts: BTreeMap<_, _> = files.into_iter().map(|file| (file.path, file.text)).collect();
    texts.retain(|path, _| path.ends_with(".rs"));
    texts.insert("spec/README.md".to_owned(), assumptions);
    texts
}

/// Compares an outcome with the one that was reviewed.
pub(crate) fn assert(name: &str, outcome: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(edit::directory());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, outcome));
}
