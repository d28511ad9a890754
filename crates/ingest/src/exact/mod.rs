//! JSON whose numbers keep their original text.
//!
//! Values of providers are passed on unchanged, and compared with earlier ones. As binary floating point,
//! 18446744073709551617 and 18446744073709551618 would be the same number. `serde_json` keeps the text with its feature
//! `arbitrary_precision`, which enables it for all crates of a build, and then no longer reads numbers in flattened and
//! untagged types. So values are parsed here from raw text.

mod number;
mod read;
mod value;

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

pub(crate) use self::number::Decimal;
pub(crate) use self::read::members;
use self::read::{read, read_text};
use self::value::DEEPEST;
pub(crate) use self::value::{ExactError, push_list};
pub use self::value::{ExactNumber, ExactObject, ExactValue};

impl ExactValue {
    /// Parses a top-level value.
    pub(crate) fn read(json: &str) -> Result<Self, ExactError> {
        read_text(json, DEEPEST)
    }
}

impl ExactObject {
    /// Parses an event of the log, which is nested deeper than an arrival.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not an event.
    pub fn of_event(json: &[u8]) -> serde_json::Result<Self> {
        let text = std::str::from_utf8(json).map_err(serde_json::Error::custom)?;
        match read_text(text, DEEPEST + 4).map_err(serde_json::Error::custom)? {
            ExactValue::Object(event) => Ok(event),
            _ => Err(serde_json::Error::custom("an event is an object")),
        }
    }
}

impl<'de> Deserialize<'de> for ExactValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        read(&json, DEEPEST).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for ExactObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match ExactValue::deserialize(deserializer)? {
            ExactValue::Object(object) => Ok(object),
            _ => Err(D::Error::invalid_type(Unexpected::Other("another value"), &"a map")),
        }
    }
}

#[cfg(test)]
mod tests;
