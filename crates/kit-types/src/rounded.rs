//! Integers whose readers round numbers with a fraction: `x-rounded` in the document.

use serde::{Deserialize, Deserializer};

use crate::integer;

/// Reads an integer, an optional one or a list of them. A number with a fraction is rounded, half to even.
pub fn rounded<'de, D: Deserializer<'de>, T: Rounded>(reader: D) -> Result<T, D::Error> {
    T::read(reader)
}

/// A type of integers that can be rounded.
pub trait Rounded: Sized {
    /// Reads one.
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error>;
}

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl Rounded for $integer {
            fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                integer::read(reader, stringify!($integer), nearest)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl<T: Rounded> Rounded for Option<T> {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Ok(Option::<Read<T>>::deserialize(reader)?.map(|read| read.0))
    }
}

impl<T: Rounded> Rounded for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let read = Vec::<Read<T>>::deserialize(reader)?;
        Ok(read.into_iter().map(|read| read.0).collect())
    }
}

/// A part of an `Option` or a list.
struct Read<T>(T);

impl<'de, T: Rounded> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        T::read(reader).map(Self)
    }
}

fn nearest(number: f64) -> Option<f64> {
    (!number.is_nan()).then(|| number.round_ties_even())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Measured {
        #[serde(deserialize_with = "super::rounded")]
        rate: i64,
        #[serde(default, deserialize_with = "super::rounded")]
        age: Option<u8>,
        #[serde(default, deserialize_with = "super::rounded")]
        zones: Vec<i64>,
    }

    #[test]
    fn fractions_are_rounded_half_to_even() {
        for (text, rate) in [
            ("61", 61),
            ("61.0", 61),
            ("60.5", 60),
            ("61.5", 62),
            ("-0.5", 0),
            ("-1.5", -2),
            ("1e2", 100),
        ] {
            let read: Measured = serde_json::from_str(&format!(r#"{{"rate":{text}}}"#)).expect("a number");
            assert_eq!(read.rate, rate, "{text}");
        }
        let read: Measured =
            serde_json::from_value(serde_json::json!({"rate": 1, "age": 40.4, "zones": [60.5, 2]})).expect("numbers");
        assert_eq!(
            read,
            Measured {
                rate: 1,
                age: Some(40),
                zones: vec![60, 2]
            }
        );
        let null: Measured = serde_json::from_str(r#"{"rate":1,"age":null}"#).expect("null");
        assert_eq!(null.age, None);
    }

    #[test]
    fn what_is_no_number_of_the_type_is_refused() {
        for text in [
            r#"{"rate":"61"}"#,
            r#"{"rate":null}"#,
            r#"{"rate":true}"#,
            r#"{"rate":1e300}"#,
            r#"{"rate":9223372036854775808}"#,
            r#"{"rate":1,"age":255.5}"#,
            r#"{"rate":1,"age":-1}"#,
            r#"{"rate":1,"zones":[null]}"#,
        ] {
            let error = serde_json::from_str::<Measured>(text).expect_err(text).to_string();
            assert!(
                error.contains("expected i64") || error.contains("expected u8"),
                "{text}: {error}"
            );
        }
    }
}
