//! The documents of this directory, each of which shows one feature.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::merge::{Merged, json};

/// The directory of the documents.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/features")
}

/// The names of the files of one kind.
pub(crate) fn names(directory: &Path, extension: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut names: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The text of a feature's document.
pub(crate) fn text(name: &str) -> String {
    fs::read_to_string(directory().join(format!("{name}.yaml"))).expect("a document")
}

/// The project's own document and those of all features, as one.
pub(crate) fn all() -> Value {
    let mut all = Merged::project();
    for name in names(&directory(), "yaml") {
        all.add(&name, &json(&name, &text(&name)));
    }
    all.json().clone()
}
