//! JSON whose numbers keep the text that they were written with.
//!
//! What a provider sends is passed on as it came, and compared with what came before. As binary floating point,
//! 18446744073709551617 and 18446744073709551618 would be the same number. `serde_json` keeps the text with its feature
//! `arbitrary_precision`, which turns it on for every crate of whoever builds with this one, and then no longer reads numbers
//! in flattened and untagged types. So values are read here from raw text.

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
    /// Reads a value that no other one is around.
    pub(crate) fn read(json: &str) -> Result<Self, ExactError> {
        read_text(json, DEEPEST)
    }
}

impl ExactObject {
    /// Reads what an event of the log is, which has more around values than an arrival.
    ///
    /// # Errors
    ///
    /// Where it is no event.
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
