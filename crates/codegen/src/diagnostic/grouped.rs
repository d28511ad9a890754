//! Notes grouped by their cause, for people: the count, the parts that they touch, and what became of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Diagnostic, Diagnostics};

/// Maximum number of parts that are named.
const NAMED: usize = 5;

/// The notes of one cause.
#[derive(Default)]
struct Group<'d> {
    list: Vec<&'d Diagnostic>,
}

impl Diagnostics {
    /// Returns the notes grouped by their cause: what is left out first, then by number.
    pub fn grouped(&self) -> String {
        let mut groups: BTreeMap<(&str, &str, String), Group<'_>> = BTreeMap::new();
        for note in &self.list {
            let key = (note.code.as_str(), note.help.as_str(), nameless(&note.message));
            groups.entry(key).or_default().list.push(note);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|((code, help, _), group)| (rank(help), Reverse(group.list.len()), *code));
        let mut text = String::new();
        for ((code, help, _), group) in groups {
            // Writing to a string cannot fail.
            _ = self.write(&mut text, code, help, &group.list);
        }
        text
    }

    fn write(&self, text: &mut String, code: &str, help: &str, list: &[&Diagnostic]) -> std::fmt::Result {
        let Some(first) = list.first() else { return Ok(()) };
        let like = if list.iter().all(|note| note.message == first.message) {
            ""
        } else {
            "like: "
        };
        let (line, column) = self.line_column(first.span.start);
        writeln!(text, "{:>6}  {like}{} [{code}]", list.len(), first.message)?;
        writeln!(text, "        => {help}")?;
        let mut parts: Vec<&str> = Vec::new();
        for note in list.iter().filter(|note| !note.part.is_empty()) {
            if !parts.contains(&note.part.as_str()) {
                parts.push(&note.part);
            }
        }
        if !parts.is_empty() {
            let more = parts.len().saturating_sub(NAMED);
            let named = parts.iter().take(NAMED).copied().collect::<Vec<_>>().join("; ");
            let more = if more > 0 {
                format!("; and {more} more")
            } else {
                String::new()
            };
            writeln!(text, "        in {named}{more}")?;
        }
        writeln!(text, "        first at {}:{line}:{column}", self.file(first.span.start))
    }
}

/// The order of consequences: operations and parts that are missing come before changed ones.
fn rank(help: &str) -> usize {
    match help {
        "it is ignored" => 4,
        "the operation is left out" => 0,
        help if help.contains("left out") => 1,
        help if help.contains("any JSON") => 2,
        _ => 3,
    }
}

/// A message without the names in it.
fn nameless(message: &str) -> String {
    message.split('`').step_by(2).collect::<Vec<_>>().join("`")
}
