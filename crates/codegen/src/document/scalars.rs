//! Strings and integers: their formats and bounds.

use std::fmt::Display;

use serde_json::Value;

use super::Type;
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// A string, with its bounds or its format.
pub(super) fn string(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let (min, max) = (value["minLength"].as_u64(), value["maxLength"].as_u64());
    let ty = match value["format"].as_str() {
        None => {
            let (min, max) = ordered(min, max, ["minLength", "maxLength"], at, report);
            return Type::String { min, max };
        }
        Some("password") => Type::Secret,
        Some("uuid") => Type::Uuid,
        Some("date") => Type::Date,
        Some("date-time") => Type::DateTime,
        Some(other) => {
            const FORMATS: [&str; 4] = ["uuid", "date", "date-time", "password"];
            let or = "remove `format`, and describe it in `description`";
            unknown_format(other, &FORMATS, or, at, report);
            return Type::broken();
        }
    };
    for key in ["minLength", "maxLength"] {
        if value.get(key).is_some() {
            report.error(
                Code::LengthBesideFormat,
                &join(at, key),
                format!("`{key}` beside `format` is unsupported"),
                "the format determines the length: remove one of the two",
            );
        }
    }
    ty
}

fn unknown_format(format: &str, known: &[&str], or: &str, at: &str, report: &mut Report<'_>) {
    report.value_error(
        Code::UnknownFormat,
        &join(at, "format"),
        format!("the format `{format}` is unsupported"),
        suggest::advice_or(format, known.iter().copied(), or),
    );
}

/// An integer, with its bounds.
pub(super) fn integer(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let bits = match value["format"].as_str() {
        Some("int32") => 32,
        Some("int64") | None => 64,
        Some(other) => {
            let or = "remove `format`, which gives 64 bits";
            unknown_format(other, &["int32", "int64"], or, at, report);
            64
        }
    };
    let bounds = ["minimum", "maximum"].map(|key| {
        let bound = value.get(key)?;
        let at = join(at, key);
        match bound.as_i64() {
            Some(number) if bits == 64 || i32::try_from(number).is_ok() => return Some(number),
            Some(number) => report.value_error(
                Code::BoundOutsideFormat,
                &at,
                format!("the `{key}` {number} is not a 32-bit integer"),
                format!("write one from {} to {}, or `format: int64`", i32::MIN, i32::MAX),
            ),
            None if bound.as_f64().is_some_and(|number| number.fract() == 0.0) => report.value_error(
                Code::BoundOutsideFormat,
                &at,
                format!("the `{key}` is not a 64-bit integer"),
                format!(
                    "write one from {} to {}, only in digits, or leave it out",
                    i64::MIN,
                    i64::MAX
                ),
            ),
            None => report.value_error(
                Code::NumberBound,
                &at,
                format!("`{key}` of an integer must be a whole number; this is {bound}"),
                "write a whole number",
            ),
        }
        None
    });
    let [min, max] = bounds;
    let (min, max) = ordered(min, max, ["minimum", "maximum"], at, report);
    Type::Integer { bits, min, max }
}

/// The bounds, or none where no value meets them, which is rejected.
fn ordered<T: PartialOrd + Copy + Display>(
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
