//! Durations in settings: text such as `10s`, `500ms` or `2min`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

/// For `#[serde(deserialize_with)]`.
pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
    const EXPECTED: &str = "expected a duration such as \"10s\"";
    let text = String::deserialize(input).map_err(|_| de::Error::custom(EXPECTED))?;
    humantime::parse_duration(&text).map_err(|_| de::Error::custom(EXPECTED))
}
