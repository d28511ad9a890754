//! The tables of cases: each a heading, an edit of `small.yaml` or a document, and the message.
//!
//! ````text
//! ## CODE: what is special about this case
//!
//! ```diff            (or `yaml`: a whole document)
//! -a line of small.yaml
//! +its replacement
//! ```
//!
//! ```yaml users.yaml      (any number: files beside it)
//! ```
//!
//! ```text
//! the message
//! ```
//! ````

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::hunks;

/// A file of cases.
pub(crate) struct Table {
    path: PathBuf,
    text: String,
    pub(crate) cases: Vec<Case>,
}

/// A document with one mistake, and its message.
pub(crate) struct Case {
    /// Table and heading, for messages of the tests.
    pub(crate) name: String,
    pub(crate) code: String,
    pub(crate) file: &'static str,
    pub(crate) document: String,
    /// The files beside it, with their names.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) expected: String,
    /// The range of the message in the table, or the position for it.
    message: Range<usize>,
}

impl Table {
    /// All tables of the directory, with edits applied to `base`.
    pub(crate) fn all(base: &str) -> Vec<Self> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
        let entries = fs::read_dir(directory).expect("the tables are listed");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        paths.sort();
        paths.into_iter().map(|path| Self::read(path, base)).collect()
    }

    fn read(path: PathBuf, base: &str) -> Self {
        let text = fs::read_to_string(&path).expect("a table is read");
        let table = path.file_name().unwrap_or_default().to_string_lossy();
        let cases = sections(&text)
            .map(|section| Case::read(&text, section, &table, base))
            .collect();
        Self { path, text, cases }
    }

    /// Writes the table with the messages of the generator, one for each case.
    pub(crate) fn update(&self, messages: &[String]) {
        let (mut text, mut copied) = (String::new(), 0);
        for (case, message) in self.cases.iter().zip(messages) {
            text.push_str(&self.text[copied..case.message.start]);
            let block = case.expected.is_empty().then(|| format!("\n```text\n{message}```\n"));
            text.push_str(block.as_ref().unwrap_or(message));
            copied = case.message.end;
        }
        text.push_str(&self.text[copied..]);
        if text != self.text {
            fs::write(&self.path, text).expect("the table is written");
        }
    }
}

impl Case {
    fn read(text: &str, section: Range<usize>, table: &str, base: &str) -> Self {
        let heading = text[section.clone()].lines().next().unwrap_or_default();
        let heading = heading.trim_start_matches("## ").trim_end();
        let name = format!("{table}, {heading}");
        let (edit, whole) = (block(text, &section, "```diff\n"), block(text, &section, "```yaml\n"));
        let (file, document, end) = match (edit, whole) {
            (Some(edit), None) => {
                let applied = hunks::apply(base, &text[edit.clone()]);
                let document = applied.unwrap_or_else(|error| panic!("{name}: {error}"));
                ("small.yaml", document, edit.end)
            }
            (None, Some(whole)) => ("document.yaml", text[whole.clone()].to_owned(), whole.end),
            _ => panic!("{name}: expected one block, `diff` or `yaml`"),
        };
        let mut end = end + "```\n".len();
        let mut files = Vec::new();
        while let Some(at) = text[end..section.end].find("\n```yaml ") {
            let named = end + at + "\n```yaml ".len();
            let name = text[named..].lines().next().unwrap_or_default().to_owned();
            let rest = named..section.end;
            let block = block_at(text, &rest, named + name.len() + 1).unwrap_or_else(|| panic!("{name}: no end"));
            end = block.end + "```\n".len();
            files.push((name, text[block].to_owned()));
        }
        let message = block(text, &section, "```text\n").unwrap_or(end..end);
        Self {
            code: heading.split(':').next().unwrap_or_default().to_owned(),
            name,
            file,
            document,
            files,
            expected: text[message.clone()].to_owned(),
            message,
        }
    }
}

/// The parts of a table below a heading of the second level.
fn sections(text: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = || text.match_indices("\n## ").map(|(at, _)| at + 1);
    let ends = starts().skip(1).chain([text.len()]);
    starts().zip(ends).map(|(start, end)| start..end)
}

/// The lines of a section's block that opens with `fence`.
fn block(text: &str, section: &Range<usize>, fence: &str) -> Option<Range<usize>> {
    let start = section.start + text[section.clone()].find(&format!("\n{fence}"))? + 1 + fence.len();
    block_at(text, section, start)
}

/// The lines of a block that begins at `start`.
fn block_at(text: &str, section: &Range<usize>, start: usize) -> Option<Range<usize>> {
    let end = text[start..section.end].find("\n```\n")?;
    Some(start..start + end + 1)
}

/// Returns whether to write messages rather than compare them: `INSTA_UPDATE=always`, as for the snapshots.
pub(crate) fn updating() -> bool {
    env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}
