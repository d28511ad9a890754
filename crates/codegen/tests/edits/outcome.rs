//! What an edit does, as a spec author reviews it: what breaks for whom, and the changed lines of the generated files.

use std::collections::BTreeMap;

use similar::TextDiff;
use wearlab_codegen::{Bump, Change, Generated, diff, generate};

use crate::edit;

/// Lines around a change.
const CONTEXT: usize = 3;

pub(crate) fn generated(text: &str) -> Generated {
    generate("openapi.yaml", text).unwrap_or_else(|error| panic!("{error}"))
}

fn changes(old: &str, new: &str) -> Vec<Change> {
    diff(("before.yaml", old), ("after.yaml", new)).unwrap_or_else(|error| panic!("{error}"))
}

/// The part of a version, from 1.0 on, that follows from an edit.
pub(crate) fn bump(old: &str, new: &str) -> Bump {
    Bump::needed(&changes(old, new), 1)
}

/// What is said of an edit, and what it changes in the generated files and the table of choices.
///
/// The document's own copy is left out: it changes as the edit says.
pub(crate) fn of(old: &str, new: &str) -> String {
    let said: String = changes(old, new).iter().map(|change| format!("{change}\n")).collect();
    let (old, new) = (files(old), files(new));
    let paths: BTreeMap<_, ()> = old.keys().chain(new.keys()).map(|path| (path, ())).collect();
    let mut text = said;
    for path in paths.into_keys() {
        let (before, after) = (old.get(path), new.get(path));
        if before == after {
            continue;
        }
        let name = |text: Option<_>| text.map_or("nothing", |_: &String| path.as_str());
        let lines = TextDiff::from_lines(before.map_or("", String::as_str), after.map_or("", String::as_str));
        let mut lines = lines.unified_diff();
        let lines = lines.context_radius(CONTEXT).header(name(before), name(after));
        text.push_str(&format!("\n{lines}"));
    }
    text
}

/// The files by path, without the document's copy.
fn files(text: &str) -> BTreeMap<String, String> {
    let Generated { files, assumptions } = generated(text);
    let mut texts: BTreeMap<_, _> = files.into_iter().map(|file| (file.path, file.text)).collect();
    texts.retain(|path, _| !path.ends_with(".json"));
    texts.insert("spec/README.md".to_owned(), assumptions);
    texts
}

/// Compares an outcome with the one that was reviewed.
pub(crate) fn assert(name: &str, outcome: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(edit::folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, outcome));
}
