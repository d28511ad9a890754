//! Violations of a request.

use std::borrow::Cow;
use std::fmt;

/// Violation by a value: its location and the rule, without the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the body, such as `/patient_details/dob`.
    pub location: String,
    /// Kind of the violation.
    pub code: ViolationCode,
    /// End of a sentence that begins with the name of the value: `must be a past day`.
    pub message: Cow<'static, str>,
}

/// Kind of a violation. The names are those of the checks that the document describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationCode {
    /// Text that is empty, or only blanks.
    TooShort,
    /// Text with too many characters.
    TooLong,
    /// Text in another format than the required one.
    Malformed,
    /// Value that is not in the list of allowed ones.
    UnknownValue,
    /// Day out of range.
    OutOfRange,
}

impl ViolationCode {
    /// Returns its name, such as `too_long`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooShort => "too_short",
            Self::TooLong => "too_long",
            Self::Malformed => "malformed",
            Self::UnknownValue => "unknown_value",
            Self::OutOfRange => "out_of_range",
        }
    }
}

impl fmt::Display for ViolationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Result of the check of one value.
pub(super) type Checked = Result<(), (ViolationCode, Cow<'static, str>)>;

/// Collects the violations of an object.
pub(super) struct Checks<'a> {
    at: &'a str,
    found: Vec<Violation>,
}

impl<'a> Checks<'a> {
    /// Creates the checks of the object at this JSON pointer.
    pub(super) const fn of(at: &'a str) -> Self {
        Self { at, found: Vec::new() }
    }

    /// Adds the violation of a member, if there is one.
    pub(super) fn member(&mut self, name: &str, checked: Checked) {
        if let Err((code, message)) = checked {
            self.found.push(Violation {
                location: format!("{}/{name}", self.at),
                code,
                message,
            });
        }
    }

    pub(super) fn found(self) -> Vec<Violation> {
        self.found
    }
}

/// Creates a failed check.
pub(super) fn failed(code: ViolationCode, message: impl Into<Cow<'static, str>>) -> Checked {
    Err((code, message.into()))
}
