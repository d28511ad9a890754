//! Limits of values. Servers enforce them; they change no Rust type.

use std::fmt::Display;

use serde_json::Value;

use crate::Code;
use crate::source::{Report, join};

/// The limits of a string.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TextLimits {
    /// Minimum length in characters, as for all strings.
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    /// A regular expression of ECMA-262, found anywhere in the text.
    pub(crate) pattern: Option<String>,
    /// The only text, where there is but one.
    pub(crate) only: Option<String>,
    /// A format without a Rust type of its own.
    pub(crate) format: Option<String>,
}

/// The limits of a number. For integers, exclusive bounds are turned into inclusive ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberLimits<T> {
    pub(crate) min: Option<T>,
    pub(crate) max: Option<T>,
    pub(crate) above: Option<T>,
    pub(crate) below: Option<T>,
    pub(crate) multiple_of: Option<T>,
}

impl<T> Default for NumberLimits<T> {
    fn default() -> Self {
        Self {
            min: None,
            max: None,
            above: None,
            below: None,
            multiple_of: None,
        }
    }
}

/// The limits of a list or of an object with free members.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SizeLimits {
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
    /// True if all items differ.
    pub(crate) unique: bool,
}

/// Reads `minItems`, `maxItems` and `uniqueItems`.
pub(super) fn items(value: &Value, at: &str, report: &mut Report<'_>) -> SizeLimits {
    let (min, max) = size(value, ["minItems", "maxItems"], at, report);
    SizeLimits {
        min,
        max,
        unique: value["uniqueItems"] == true,
    }
}

/// Reads `minProperties` and `maxProperties`.
pub(super) fn members(value: &Value, at: &str, report: &mut Report<'_>) -> SizeLimits {
    let (min, max) = size(value, ["minProperties", "maxProperties"], at, report);
    SizeLimits {
        min,
        max,
        unique: false,
    }
}

/// Reads two whole numbers that bound a size.
pub(super) fn size(value: &Value, keys: [&str; 2], at: &str, report: &mut Report<'_>) -> (Option<u64>, Option<u64>) {
    let [min, max] = keys.map(|key| value[key].as_u64());
    ordered(min, max, keys, at, report)
}

/// The bounds. None for bounds that no value meets, which are rejected.
pub(super) fn ordered<T: PartialOrd + Copy + Display>(
    low: Option<T>,
    high: Option<T>,
    [min, max]: [&str; 2],
    at: &str,
    report: &mut Report<'_>,
) -> (Option<T>, Option<T>) {
    let (Some(least), Some(most)) = (low, high) else {
        return (low, high);
    };
    if least <= most {
        return (low, high);
    }
    report.error_with(
        Code::ImpossibleBounds,
        &join(at, min),
        format!("no value meets these bounds: at least {least}, at most {most}"),
        format!("make `{min}` the smaller one"),
        (&join(at, max), "below it"),
    );
    (None, None)
}
