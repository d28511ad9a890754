//! Violations of a request.

use std::borrow::Cow;
use std::fmt;

/// A value that cannot be: where it stands, and what it must be. It does not show the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// A JSON pointer into the body, such as `/patient_details/dob`.
    pub location: String,
    /// Kind of the violation.
    pub code: ViolationCode,
    /// The end of a sentence that begins with the name of the value: `must be a past day`.
    pub message: Cow<'static, str>,
}

/// The kinds of violations. Their names are those of the checks that the document describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationCode {
    /// Empty, or blanks alone.
    TooShort,
    /// Too many characters.
    TooLong,
    /// Not of the form that it must have.
    Malformed,
    /// Not in the list of what it may be.
    UnknownValue,
    /// A day that cannot be.
    OutOfRange,
}

impl ViolationCode {
    /// Its name, such as `too_long`.
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
    /// Violations of the object at this JSON pointer.
    pub(super) const fn of(at: &'a str) -> Self {
        Self { at, found: Vec::new() }
    }

    /// Notes what a check of a member found.
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

/// A failed check.
pub(super) fn failed(code: ViolationCode, message: impl Into<Cow<'static, str>>) -> Checked {
    Err((code, message.into()))
}
