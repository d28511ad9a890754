//! Types of parameters, read from text.

use std::net::{Ipv4Addr, Ipv6Addr};

use chrono::{NaiveDate, NaiveDateTime};
use wearlab_kit_types::{DateTime, Uuid};

/// A type that a parameter may have.
pub trait Parameter: Sized {
    /// Parses the text. The error states the expectation, and does not repeat the text.
    ///
    /// # Errors
    ///
    /// The expected form, as the end of a sentence that begins with "must be".
    fn read(text: &str) -> Result<Self, String>;
}

impl Parameter for Uuid {
    fn read(text: &str) -> Result<Self, String> {
        // Only the hyphenated form is the document's `format: uuid`.
        let hyphenated = text.len() == 36;
        let read = hyphenated.then(|| Self::try_parse(text).ok()).flatten();
        read.ok_or_else(|| "a UUID, such as 5b0e7c1a-6f5d-4c0e-9a57-2f6f3f1f0a11".to_owned())
    }
}

impl Parameter for NaiveDate {
    fn read(text: &str) -> Result<Self, String> {
        // Exactly ten characters: the parser alone lets spaces and single digits pass.
        let shaped = text.len() == 10 && !text.contains(' ');
        let read = shaped.then(|| text.parse().ok()).flatten();
        read.ok_or_else(|| "a date, such as 2024-12-31".to_owned())
    }
}

impl Parameter for DateTime {
    fn read(text: &str) -> Result<Self, String> {
        let expected = "a timestamp, such as 2024-12-31T08:00:00+01:00";
        let shaped = text
            .as_bytes()
            .get(10)
            .is_some_and(|byte| byte.eq_ignore_ascii_case(&b'T'));
        let read = match is_without_offset(text) {
            true => Self::parse_from_rfc3339(&format!("{text}Z")),
            false => Self::parse_from_rfc3339(text),
        };
        let read = read.ok().filter(|_| shaped);
        read.ok_or_else(|| expected.to_owned())
    }
}

/// Returns whether a text is a time without an offset, which is one in UTC.
pub(crate) fn is_without_offset(text: &str) -> bool {
    text.parse::<NaiveDateTime>().is_ok()
}

impl Parameter for Ipv4Addr {
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| "an IPv4 address, such as 192.0.2.1".to_owned())
    }
}

impl Parameter for Ipv6Addr {
    fn read(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| "an IPv6 address, such as 2001:db8::1".to_owned())
    }
}

impl Parameter for bool {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "true or false".to_owned())
    }
}

impl Parameter for f64 {
    fn read(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number: &Self| number.is_finite());
        number.ok_or_else(|| "a number".to_owned())
    }
}
