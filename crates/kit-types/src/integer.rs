//! Reader of an integer type that also takes numbers of another form.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, Unexpected, Visitor};

use crate::form;

/// Reads an integer of the named type. `whole` is the integer of a number with a fraction or an exponent, if it has one.
pub(crate) fn read<'de, D: Deserializer<'de>, T: TryFrom<i128>>(
    reader: D,
    name: &'static str,
    whole: fn(f64) -> Option<f64>,
) -> Result<T, D::Error> {
    let of = PhantomData;
    reader.deserialize_any(Integer { name, whole, of })
}

struct Integer<T> {
    name: &'static str,
    whole: fn(f64) -> Option<f64>,
    of: PhantomData<T>,
}

impl<T: TryFrom<i128>> Visitor<'_> for Integer<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        let within = T::try_from(number.into());
        within.map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let within = T::try_from(number.into());
        within.map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        // Numbers beyond the bounds of `i128` become its bounds, which no type has.
        let within = (self.whole)(number).and_then(|whole| T::try_from(whole as i128).ok());
        within.ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }

    /// The text of a form or of a header; other texts are not numbers.
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        if !form::is_read() {
            return Err(E::invalid_type(Unexpected::Str(text), &self));
        }
        if let Ok(number) = text.parse::<i128>() {
            let within = T::try_from(number);
            return within.map_err(|_| E::invalid_value(Unexpected::Other("another number"), &self));
        }
        match text.parse() {
            Ok(number) => self.visit_f64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Other("another text"), &self)),
        }
    }
}
