//! Lists in settings: a list, or comma-separated text, since flags and variables are text.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

/// For `#[serde(deserialize_with)]`.
pub fn deserialize<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a list of strings, or comma-separated text")]
    enum Given {
        List(Vec<String>),
        Text(String),
    }
    let parts = match Given::deserialize(input)? {
        Given::List(list) => list,
        Given::Text(text) => text.split(',').map(|part| part.trim().to_owned()).collect(),
    };
    let (mut values, mut invalid) = (Vec::new(), Vec::new());
    for (number, part) in (1..).zip(&parts) {
        match part.parse::<T>() {
            Ok(value) => values.push(value),
            Err(error) if parts.len() == 1 => invalid.push(error.to_string()),
            Err(error) => invalid.push(format!("entry {number}: {error}")),
        }
    }
    match invalid.is_empty() {
        true => Ok(values),
        false => Err(de::Error::custom(invalid.join("; "))),
    }
}
