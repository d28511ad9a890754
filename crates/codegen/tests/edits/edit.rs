//! Edits of a text, as files that a person reads and writes.
//!
//! A line that begins with a space is there, one with `-` goes, one with `+` comes; `@@` stands between places. Where a
//! place is, its lines say: they must be in the text once. Crates that apply patches go by line numbers, which every
//! other edit of the document would move, or take what is merely alike.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/edits")
}

/// The names of all edits.
pub(crate) fn names() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of edits");
    entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".edit").map(str::to_owned)
        })
        .collect()
}

pub(crate) fn read(name: &str) -> String {
    let path = folder().join(format!("{name}.edit"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text after an edit.
pub(crate) fn apply(text: &str, name: &str, edit: &str) -> String {
    let mut text = text.to_owned();
    for (index, hunk) in edit.split("@@\n").enumerate() {
        let (mut old, mut new) = (String::from("\n"), String::from("\n"));
        for line in hunk.lines() {
            let (sign, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
            let sides: &mut [&mut String] = match sign {
                " " => &mut [&mut old, &mut new],
                "-" => &mut [&mut old],
                "+" => &mut [&mut new],
                _ => panic!("{name}.edit: a line begins with a space, `-` or `+`, not {line:?}"),
            };
            for side in sides {
                side.push_str(rest);
                side.push('\n');
            }
        }
        let found = text.matches(&old).count();
        assert_eq!(
            found, 1,
            "{name}.edit: place {index} is {found} times in the text:{old}"
        );
        text = text.replacen(&old, &new, 1);
    }
    text
}

#[test]
fn an_edit_is_applied_where_its_lines_are() {
    let text = "\na: 1\nb: 2\nc: 3\n";
    assert_eq!(
        apply(text, "test", " a: 1\n-b: 2\n+b: 4\n@@\n c: 3\n+d: 5\n"),
        "\na: 1\nb: 4\nc: 3\nd: 5\n"
    );
}

#[test]
#[should_panic(expected = "place 0 is 2 times in the text")]
fn an_edit_that_fits_twice_is_refused() {
    apply("\na: 1\na: 1\nb: 2\na: 1\n", "test", " a: 1\n+b: 1\n");
}
