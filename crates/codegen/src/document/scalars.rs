//! Strings and integers: their formats and bounds.

use serde_json::Value;

use super::limits::{NumberLimits, TextLimits, ordered, size};
use super::{Type, Width, pattern};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// The formats of strings that have a Rust type.
const TYPED: [&str; 6] = ["uuid", "date", "date-time", "password", "ipv4", "ipv6"];

/// The formats of strings that stay text, and that servers check.
const CHECKED: [&str; 6] = ["email", "uri", "hostname", "time", "duration", "byte"];

/// The formats of strings that stay text, and that are not checked.
const DESCRIPTIVE: [&str; 2] = ["binary", "decimal"];

/// A string, with its limits or its format.
pub(super) fn string(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let (min, max) = size(value, ["minLength", "maxLength"], at, report);
    let mut limits = TextLimits {
        min,
        max,
        pattern: pattern::read(value, at, report),
        only: value["const"].as_str().map(str::to_owned),
        format: None,
    };
    let ty = match value["format"].as_str() {
        None => return Type::String(limits),
        Some("password") => return Type::Secret(limits),
        Some(format) if CHECKED.contains(&format) || DESCRIPTIVE.contains(&format) => {
            limits.format = CHECKED.contains(&format).then(|| format.to_owned());
            return Type::String(limits);
        }
        Some("uuid") => Type::Uuid,
        Some("date") => Type::Date,
        Some("date-time") => Type::DateTime,
        Some("ipv4") => Type::Ipv4,
        Some("ipv6") => Type::Ipv6,
        Some(other) => {
            let known: Vec<_> = TYPED.into_iter().chain(CHECKED).chain(DESCRIPTIVE).collect();
            if suggest::nearest(other, known.iter().copied()).is_some() {
                let or = "remove `format`, and describe it in `description`";
                unknown_format(other, &known, or, at, report);
                return Type::broken();
            }
            let message = format!("the format `{other}` is unknown");
            report.note(
                Code::UnknownFormat,
                &join(at, "format"),
                message,
                "it is ignored: the value is text",
            );
            return Type::String(limits);
        }
    };
    for key in ["minLength", "maxLength", "pattern"] {
        if value.get(key).is_some() {
            report.error(
                Code::LengthBesideFormat,
                &join(at, key),
                format!("`{key}` beside `format` is unsupported"),
                "the format determines the text: remove one of the two",
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

/// The width of an integer's format.
fn width(format: &str) -> Option<Width> {
    let bits = format.strip_prefix('u').unwrap_or(format).strip_prefix("int")?;
    let bits = ["8", "16", "32", "64"].contains(&bits).then(|| bits.parse().ok())??;
    Some(Width {
        bits,
        signed: !format.starts_with('u'),
    })
}

/// An integer, with its limits.
pub(super) fn integer(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    let width = match value["format"].as_str() {
        None => Width::I64,
        Some(format) => width(format).unwrap_or_else(|| {
            let or = "remove `format`, which gives 64 bits";
            unknown_format(format, &["int32", "int64", "uint32", "uint64"], or, at, report);
            Width::I64
        }),
    };
    let mut whole = |key: &str| whole(value, key, width, at, report);
    let [min, max, above, below] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map(&mut whole);
    let multiple_of = whole("multipleOf");
    let constant = whole("const");
    let min = constant.or(min.max(above.map(|above| above + 1)));
    let max = constant.or(max);
    let max = [max, below.map(|below| below - 1)].into_iter().flatten().min();
    let (min, max) = ordered(min, max, ["minimum", "maximum"], at, report);
    if multiple_of.is_some_and(|multiple| multiple < 1) {
        not_positive(at, report);
    }
    let limits = NumberLimits {
        min,
        max,
        multiple_of,
        ..NumberLimits::default()
    };
    Type::Integer(width, limits)
}

/// A whole number that limits an integer.
fn whole(value: &Value, key: &str, width: Width, at: &str, report: &mut Report<'_>) -> Option<i128> {
    let bound = value.get(key)?;
    let at = join(at, key);
    let number = bound
        .as_i64()
        .map(i128::from)
        .or_else(|| bound.as_u64().map(i128::from));
    let (least, most) = width.range();
    match number {
        Some(number) if (least..=most).contains(&number) => return Some(number),
        Some(number) => report.value_error(
            Code::BoundOutsideFormat,
            &at,
            format!(
                "the `{key}` {number} is not {} {}-bit integer",
                article(width),
                width.bits
            ),
            match width {
                Width::I64 => format!("write one from {least} to {most}"),
                _ => format!("write one from {least} to {most}, or `format: int64`"),
            },
        ),
        None if bound.as_f64().is_some_and(|number| number.fract() == 0.0) => report.value_error(
            Code::BoundOutsideFormat,
            &at,
            format!("the `{key}` is not {} {}-bit integer", article(width), width.bits),
            format!("write one from {least} to {most}, only in digits, or leave it out"),
        ),
        None => report.value_error(
            Code::NumberBound,
            &at,
            format!("`{key}` of an integer must be a whole number; this is {bound}"),
            "write a whole number",
        ),
    }
    None
}

fn article(width: Width) -> &'static str {
    if width.signed { "a" } else { "an unsigned" }
}

/// A number, with its limits.
pub(super) fn number(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    const FORMATS: [&str; 3] = ["double", "float", "decimal"];
    if let Some(format) = value["format"].as_str()
        && !FORMATS.contains(&format)
    {
        let or = "remove `format`: every number has 64 bits";
        unknown_format(format, &FORMATS, or, at, report);
    }
    let bound = |key: &str| value[key].as_f64();
    let (min, max) = ordered(bound("minimum"), bound("maximum"), ["minimum", "maximum"], at, report);
    let limits = NumberLimits {
        min,
        max,
        above: bound("exclusiveMinimum"),
        below: bound("exclusiveMaximum"),
        multiple_of: bound("multipleOf"),
    };
    if limits.multiple_of.is_some_and(|multiple| multiple <= 0.0) {
        not_positive(at, report);
    }
    Type::Number(limits)
}

/// The type of a constant.
pub(super) fn constant(value: &Value, at: &str, report: &mut Report<'_>) -> Type {
    match value {
        Value::String(_) => string(&serde_json::json!({ "const": value }), at, report),
        Value::Number(number) if number.is_i64() => integer(&serde_json::json!({ "const": value }), at, report),
        Value::Number(_) => Type::Number(NumberLimits::default()),
        Value::Bool(_) => Type::Boolean,
        _ => Type::Any,
    }
}

fn not_positive(at: &str, report: &mut Report<'_>) {
    report.value_error(
        Code::ImpossibleBounds,
        &join(at, "multipleOf"),
        "`multipleOf` must be greater than 0",
        "write a positive number, or remove it",
    );
}
