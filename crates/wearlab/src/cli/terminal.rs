//! Untrusted text on a terminal: control characters are escaped, as JSON escapes them.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Escapes control characters and bidirectional controls, except line ends and tabs.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |c| !matches!(c, '\n' | '\t'))
}

/// Escapes like [`escaped`], and line ends and tabs, too, for a name within a line.
pub(super) fn name(text: &str) -> Cow<'_, str> {
    escape(text, |_| true)
}

/// Escapes a path within a line.
pub(super) fn path(path: &Path) -> String {
    name(&path.to_string_lossy()).into_owned()
}

fn escape(text: &str, applies: impl Fn(char) -> bool) -> Cow<'_, str> {
    let changes = |c: char| (c.is_control() || is_bidirectional_control(c)) && applies(c);
    if !text.contains(changes) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 5);
    for c in text.chars() {
        match changes(c) {
            // Writing to a string cannot fail.
            true => drop(write!(escaped, "\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

fn is_bidirectional_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{escaped, name, path};

    #[test]
    fn what_changes_a_terminal_is_escaped() {
        assert_eq!(
            escaped("a\u{1b}[31m\u{9b}1m\r\u{7f}\0"),
            "a\\u001b[31m\\u009b1m\\u000d\\u007f\\u0000"
        );
        assert_eq!(escaped("\u{202e}txt.exe\u{2066}"), "\\u202etxt.exe\\u2066");
        assert_eq!(
            escaped("one\n\ttwo: nøkkel 👩\u{200d}🔬"),
            "one\n\ttwo: nøkkel 👩\u{200d}🔬"
        );
        assert_eq!(name("one\ntwo\t"), "one\\u000atwo\\u0009");
        assert_eq!(
            path(Path::new("/tmp/\u{1b}]0;title\u{7}.ndjson")),
            "/tmp/\\u001b]0;title\\u0007.ndjson"
        );
        let json = serde_json::json!({"name": "\u{9b}x\u{202e}"}).to_string();
        let read: serde_json::Value = serde_json::from_str(&escaped(&json)).expect("still JSON");
        assert_eq!(read["name"], "\u{9b}x\u{202e}");
    }
}
