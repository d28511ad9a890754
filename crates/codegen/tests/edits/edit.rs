//! The edits, as hand-written files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::hunks;

pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edits")
}

/// The names of all edits.
pub(crate) fn names() -> Vec<String> {
    let entries = fs::read_dir(directory()).expect("the directory of edits");
    entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".edit").map(str::to_owned)
        })
        .collect()
}

fn read(name: &str) -> String {
    let path = directory().join(format!("{name}.edit"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text after an edit.
pub(crate) fn apply(text: &str, name: &str) -> String {
    hunks::apply(text, &read(name)).unwrap_or_else(|why| panic!("{name}.edit: {why}"))
}
