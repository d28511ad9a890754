//! Lenient readers: of values that services send in another form than their documents have.

use std::collections::BTreeMap;
use std::fmt;

use chrono::NaiveDateTime;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

use crate::{DateTime, integer};

/// Reads integers and timestamps, also optional ones, lists and maps of them.
///
/// A number such as `7.0` is an integer, a timestamp without an offset is in UTC, and null is an empty list or map.
pub fn lenient<'de, D: Deserializer<'de>, T: Lenient>(reader: D) -> Result<T, D::Error> {
    T::read(reader)
}

/// Reads such a value. Null is the default.
pub fn lenient_or<'de, D: Deserializer<'de>, T: Lenient>(reader: D, default: fn() -> T) -> Result<T, D::Error> {
    Ok(Option::read(reader)?.unwrap_or_else(default))
}

/// Reads such a value that is present, null being `Some(None)`.
pub fn lenient_present<'de, D: Deserializer<'de>, T: Lenient>(reader: D) -> Result<Option<T>, D::Error> {
    T::read(reader).map(Some)
}

/// Reads a list or a map. Null is an empty one.
pub fn null_as_empty<'de, D, T>(reader: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(reader)?.unwrap_or_default())
}

/// A type that can be read leniently.
pub trait Lenient: Sized {
    /// Reads a value.
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error>;
}

macro_rules! integers {
    ($($integer:ident)*) => {$(
        impl Lenient for $integer {
            fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                integer::read(reader, stringify!($integer), whole)
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl Lenient for DateTime {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(Timestamp)
    }
}

impl<T: Lenient> Lenient for Option<T> {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Ok(Option::<Read<T>>::deserialize(reader)?.map(|read| read.0))
    }
}

impl<T: Lenient> Lenient for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let read = Option::<Vec<Read<T>>>::deserialize(reader)?.unwrap_or_default();
        Ok(read.into_iter().map(|read| read.0).collect())
    }
}

impl<K: for<'k> Deserialize<'k> + Ord, T: Lenient> Lenient for BTreeMap<K, T> {
    fn read<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let read = Option::<BTreeMap<K, Read<T>>>::deserialize(reader)?.unwrap_or_default();
        Ok(read.into_iter().map(|(key, read)| (key, read.0)).collect())
    }
}

/// A value in an `Option`, a list or a map.
struct Read<T>(T);

impl<'de, T: Lenient> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        T::read(reader).map(Self)
    }
}

fn whole(number: f64) -> Option<f64> {
    (number.fract() == 0.0).then_some(number)
}

struct Timestamp;

impl Visitor<'_> for Timestamp {
    type Value = DateTime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a timestamp")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DateTime, E> {
        let with_offset = DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
            .or_else(|_| text.parse())
            .ok();
        let without = || {
            let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
            let mut read = formats.iter().map(|format| NaiveDateTime::parse_from_str(text, format));
            read.find_map(Result::ok).map(|local| local.and_utc().fixed_offset())
        };
        let timestamp = with_offset.or_else(without);
        timestamp.ok_or_else(|| E::invalid_value(Unexpected::Other("another text"), &self))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use crate::DateTime;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Workout {
        #[serde(default, deserialize_with = "super::lenient")]
        steps: Option<i32>,
        #[serde(default, deserialize_with = "super::lenient")]
        laps: Vec<i64>,
        #[serde(default, deserialize_with = "super::lenient")]
        zones: BTreeMap<String, u8>,
        #[serde(default, deserialize_with = "super::lenient")]
        start: Option<DateTime>,
        #[serde(default, deserialize_with = "super::null_as_empty")]
        notes: Vec<String>,
    }

    fn read(value: Value) -> Result<Workout, serde_json::Error> {
        serde_json::from_value(value)
    }

    #[test]
    fn other_forms_are_read() {
        let workout = read(json!({
            "steps": 7.0,
            "laps": [400, 8e2],
            "zones": { "easy": 3.0 },
            "start": "2026-05-01T08:00:00.25",
            "notes": null,
        }));
        let start = DateTime::parse_from_rfc3339("2026-05-01T08:00:00.25Z").expect("a timestamp");
        let expected = Workout {
            steps: Some(7),
            laps: vec![400, 800],
            zones: BTreeMap::from([("easy".to_owned(), 3)]),
            start: Some(start),
            notes: Vec::new(),
        };
        assert_eq!(workout.expect("a workout"), expected);
        let nothing = read(json!({ "steps": null, "laps": null, "zones": null, "start": null }));
        assert_eq!(nothing.expect("a workout"), read(json!({})).expect("a workout"));
        let spaced = read(json!({ "start": "2026-05-01 08:00:00.25" })).expect("a workout");
        assert_eq!(spaced.start, Some(start));
    }

    #[test]
    fn texts_of_forms_are_read() {
        let form = |text: &str| crate::form::value::<Workout>(text.as_bytes());
        let workout = form("steps=7.0&laps=400&laps=8e2&zones[easy]=3&start=2026-05-01T08:00:00&notes=a");
        let expected = read(json!({
            "steps": 7,
            "laps": [400, 800],
            "zones": { "easy": 3 },
            "start": "2026-05-01T08:00:00Z",
            "notes": ["a"],
        }));
        assert_eq!(workout, expected.ok());
        let negative = read(json!({ "steps": -7, "laps": [400, 800], "zones": { "easy": 3 } }));
        assert_eq!(form("steps=-7&laps=400&laps=8e2&zones[easy]=3"), negative.ok());
        for text in [
            "steps=7.5",
            "steps=x",
            "steps=3000000000",
            "laps=1&laps=y",
            "laps=",
            "zones[easy]=256",
        ] {
            assert_eq!(form(text), None, "{text}");
        }
    }

    #[test]
    fn offsets_are_kept() {
        let workout = read(json!({ "start": "2026-05-01T08:00:00+02:00" })).expect("a workout");
        assert_eq!(
            workout.start.map(|start| start.to_rfc3339()).as_deref(),
            Some("2026-05-01T08:00:00+02:00")
        );
        let same = read(json!({ "start": "2026-05-01T08:00:00+0200" })).expect("a workout");
        assert_eq!(same, workout);
        let spaced = read(json!({ "start": "2026-05-01 08:00:00 +0200" })).expect("a workout");
        assert_eq!(spaced, workout);
    }

    #[test]
    fn other_values_are_refused() {
        for value in [
            json!({ "steps": 7.5 }),
            json!({ "steps": "7" }),
            json!({ "steps": 3e9 }),
            json!({ "laps": [null] }),
            json!({ "laps": 4 }),
            json!({ "zones": { "easy": 256 } }),
            json!({ "start": "yesterday" }),
            json!({ "start": "2026-05-01" }),
            json!({ "start": 1_777_000_000 }),
            json!({ "notes": "none" }),
        ] {
            let text = value.to_string();
            let error = read(value).expect_err(&text).to_string();
            assert!(!error.contains("yesterday"), "{error}");
        }
    }
}
