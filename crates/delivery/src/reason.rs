//! Reason for a failed delivery, safe to store and to show.

use std::error::Error;
use std::fmt;

/// Maximum length. Longer texts, which only libraries and peers write, are cut.
const LONGEST: usize = 200;

/// Reason for a failed delivery: one short line, without secrets, URLs with secrets, or payload.
///
/// Only destinations make reasons, from their own texts and from the causes that libraries name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        let one_line = text.as_ref().chars().map(|c| if c.is_control() { ' ' } else { c });
        Self(one_line.take(LONGEST).collect())
    }

    /// The innermost cause of an error. The others may show the whole URL.
    pub(crate) fn cause(what: &str, error: &dyn Error) -> Self {
        let mut innermost = error;
        while let Some(source) = innermost.source() {
            innermost = source;
        }
        Self::new(format!("{what}: {innermost}"))
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn reasons_are_short_lines() {
        assert_eq!(Reason::new("a\r\nb\u{1b}c").as_str(), "a  b c");
        assert_eq!(Reason::new("ä".repeat(1000)).as_str(), "ä".repeat(200));
    }
}
