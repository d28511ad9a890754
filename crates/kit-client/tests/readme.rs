//! The README of the crate justifies each direct dependency.

use std::fs;
use std::path::Path;

#[test]
fn nothing_is_left_out() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(directory.join(name)).expect("a file");
    let (readme, manifest) = (read("README.md"), read("Cargo.toml"));
    // The first cells of the rows of its tables, in backquotes.
    let cells = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let rows: Vec<_> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let mut here = false;
    let mut dependencies = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            here = line.ends_with("dependencies]") && !line.contains("dev-");
        } else if let Some((name, _)) = line
            .split_once(['.', ' '])
            .filter(|(name, _)| here && !name.starts_with('#'))
        {
            dependencies += 1;
            assert!(rows.contains(&name), "the README does not say what {name} is for");
        }
    }
    assert!(dependencies > 5, "{dependencies} are direct");
}
