//! Tests that the documents of the table of steps match the code.

use std::fs;
use std::path::{Path, PathBuf};

use wearlab_labs::status::document;

#[test]
fn the_document_is_that_of_the_table() {
    check(Path::new(env!("CARGO_MANIFEST_DIR")).join("ORDER_STATUSES.md"), |_| {
        document::markdown()
    });
}

/// Compares the lines of `x-transitions`, which the OpenAPI document has with a deeper indentation than its key.
#[test]
fn the_transitions_of_the_interface_are_those_of_the_table() {
    const KEY: &str = "          x-transitions:\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/orders.yaml");
    check(path, |found| {
        let (before, rest) = found.split_once(KEY).expect("x-transitions");
        let is_inside = |line: &&str| line.starts_with("            ");
        let length: usize = rest.split_inclusive('\n').take_while(is_inside).map(str::len).sum();
        format!("{before}{KEY}{}{}", document::yaml(12), &rest[length..])
    });
}

/// Compares a file with its expected content, which is computed from the current one.
fn check(path: PathBuf, expected: impl FnOnce(&str) -> String) {
    let found = fs::read_to_string(&path).unwrap_or_default();
    let expected = expected(&found);
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        return fs::write(&path, &expected).expect("the file is written");
    }
    assert!(
        found == expected,
        "{} is not that of src/status/table.rs: run `INSTA_UPDATE=always cargo test -p wearlab-labs --test document`",
        path.display()
    );
}
