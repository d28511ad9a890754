//! Checks of texts such as names and lines of an address.

use super::ViolationCode::{Malformed, TooLong, TooShort};
use super::violation::{Checked, failed};

/// Checks a required text: 1 to `most` characters, not only blanks, no control characters.
pub(super) fn required(text: &str, most: usize) -> Checked {
    if text.trim().is_empty() {
        return failed(TooShort, "must have at least 1 character that is no blank");
    }
    optional(text, most)
}

/// Checks an optional text: forms send empty lines.
pub(super) fn optional(text: &str, most: usize) -> Checked {
    if text.chars().count() > most {
        return failed(TooLong, format!("must have at most {most} characters"));
    }
    if text.chars().any(char::is_control) {
        return failed(Malformed, "must not have control characters, such as line breaks");
    }
    Ok(())
}
