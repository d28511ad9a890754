//! Files of the document, on disk or in a revision.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::git;

/// Root file of the document.
pub(crate) const SPEC: &str = "spec/openapi.yaml";

/// Directory of the root and of the files that it refers to.
const DIRECTORY: &str = "spec";

/// Reads the root file.
pub(crate) fn read(root: &Path) -> Result<String> {
    fs::read_to_string(root.join(SPEC)).with_context(|| format!("cannot read {SPEC}"))
}

/// Returns a reader of the files beside the root.
pub(crate) fn files(root: &Path) -> impl Fn(&str) -> Result<String, String> {
    let directory = root.join(DIRECTORY);
    move |name| fs::read_to_string(directory.join(name)).map_err(|error| error.to_string())
}

/// Returns a reader of the files beside the root in a revision.
pub(crate) fn files_of(root: &Path, rev: &str) -> impl Fn(&str) -> Result<String, String> {
    move |name| git::show(root, rev, &format!("{DIRECTORY}/{name}")).map_err(|error| format!("{error:#}"))
}

/// Copies the files of the document into another directory, for a test.
#[cfg(test)]
pub(crate) fn copy_to(root: &Path) {
    let directory = root.join(DIRECTORY);
    fs::create_dir(&directory).expect("a directory");
    for entry in fs::read_dir(crate::root().join(DIRECTORY)).expect("the files of the document") {
        let file = entry.expect("an entry");
        if file.path().is_file() {
            fs::copy(file.path(), directory.join(file.file_name())).expect("a copy");
        }
    }
}
