//! The README of the crate names each example.

use std::fs;
use std::path::Path;

/// The first cells of the rows of its tables, in backquotes.
fn rows(readme: &str) -> Vec<&str> {
    let cells = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn nothing_is_left_out() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(directory.join(name)).expect("a file");
    let readme = read("README.md");
    let rows = rows(&readme);
    for example in fs::read_dir(directory.join("examples")).expect("a directory") {
        let name = example.expect("an example").path();
        let name = name.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(
            rows.contains(&name.as_str()),
            "the README does not name the example {name}"
        );
    }
}
