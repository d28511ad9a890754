//! Targets that manifests turn off: a crate with `test = false` has no unit test, and one with `doctest = false` no example
//! in its documentation. One with `autotests = false` runs each file of `tests`.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// Reads the Rust files below a directory.
fn sources(directory: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a text");
            found.push((path, text));
        }
    }
}

fn has_unit_test(source: &str) -> bool {
    let attributes = ["#[test]", "#[tokio::test", "#[cfg(test)]"];
    source
        .lines()
        .any(|line| attributes.iter().any(|attribute| line.trim().starts_with(attribute)))
}

/// Returns whether rustdoc finds a program in the comments, or text of another file that may have one.
fn has_example(source: &str) -> bool {
    let comments = source
        .lines()
        .map(str::trim)
        .filter_map(|line| line.strip_prefix("///").or(line.strip_prefix("//!")));
    let mut is_open = false;
    for fence in comments.filter_map(|comment| comment.trim().strip_prefix("```")) {
        if !is_open && !["json", "text", "toml"].contains(&fence) {
            return true;
        }
        is_open = !is_open;
    }
    source.contains("doc = include_str!")
}

#[test]
fn targets_that_are_turned_off_are_empty() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let directories: Vec<_> = fs::read_dir(root.join("crates"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let (mut wrong, mut off) = (Vec::new(), 0);
    for directory in directories {
        let manifest = fs::read_to_string(directory.join("Cargo.toml")).expect("a manifest");
        let manifest: Table = manifest.parse().expect("TOML");
        let library = manifest.get("lib").map(std::slice::from_ref).unwrap_or_default();
        let binaries = manifest
            .get("bin")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let mut files = Vec::new();
        sources(&directory.join("src"), &mut files);
        for target in library.iter().chain(binaries) {
            let is_off = |key: &str| target.get(key).and_then(Value::as_bool) == Some(false);
            // The only file of a binary that has a library beside it.
            let root = target
                .get("path")
                .and_then(Value::as_str)
                .filter(|_| !library.is_empty());
            let files = files
                .iter()
                .filter(|(path, _)| root.is_none_or(|root| path.ends_with(root)));
            for (path, source) in files {
                if is_off("test") && has_unit_test(source) {
                    wrong.push(format!(
                        "{} has a test, which `test = false` in the manifest turns off",
                        path.display()
                    ));
                }
                if is_off("doctest") && has_example(source) {
                    wrong.push(format!(
                        "{} has an example, which `doctest = false` in the manifest turns off",
                        path.display()
                    ));
                }
            }
            off += usize::from(is_off("test")) + usize::from(is_off("doctest"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(off > 20, "only {off} targets are turned off");
}

#[test]
fn each_file_of_tests_is_part_of_a_program() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for entry in fs::read_dir(crates).expect("a directory") {
        let directory = entry.expect("an entry").path();
        let manifest = fs::read_to_string(directory.join("Cargo.toml")).expect("a manifest");
        if !manifest.lines().any(|line| line == "autotests = false") {
            continue;
        }
        let main = fs::read_to_string(directory.join("tests/main.rs")).expect("a program");
        for entry in fs::read_dir(directory.join("tests")).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy();
            seen += 1;
            let is_part = match path.is_dir() {
                // Its modules may be those of a file beside it, and it may have none.
                true if path.join("main.rs").exists() => manifest.contains(&format!("path = \"tests/{name}/main.rs\"")),
                true if path.join("mod.rs").exists() => main.contains(&format!("\nmod {name};\n")),
                true => true,
                false if path.extension().is_some_and(|extension| extension == "rs") && name != "main" => {
                    main.contains(&format!("\nmod {name};\n"))
                }
                false => true,
            };
            if !is_part {
                wrong.push(format!(
                    "{} is in no program: add it to tests/main.rs or to the manifest",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 20, "only {seen} files were found");
}

#[test]
fn tests_and_examples_are_recognised() {
    assert!(has_unit_test("mod tests {\n    #[tokio::test(start_paused = true)]\n"));
    assert!(!has_unit_test("//! `#[test]`"));
    assert!(has_example("/// ```\n/// let a = 1;\n/// ```"));
    assert!(has_example("//! ```text\n//! a\n//! ```\n//!\n//! ```no_run\n//! ```"));
    assert!(has_example("#[doc = include_str!(\"../README.md\")]"));
    assert!(!has_example("/// ```text\n/// a\n/// ```\nlet fence = \"```\";"));
}
