//! Bounds and default of a parameter or a property as a sentence.

use std::fmt::Display;

use serde_json::Value;

use super::{NumberLimits, Type};
use crate::rustdoc::code_span;

/// A sentence such as `1 to 500, default 100.`, if there are any.
pub(super) fn sentence(ty: &Type, default: Option<&Value>) -> Option<String> {
    let rules: Vec<_> = [bounds(ty), default.map(self::default)].into_iter().flatten().collect();
    let rules = rules.join(", ");
    let first = rules.chars().next()?;
    Some(format!("{}{}.", first.to_uppercase(), &rules[first.len_utf8()..]))
}

/// The sentence about the only value of a property.
pub(super) fn always(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("New values have {}.", code_span(&text))
}

fn default(value: &Value) -> String {
    match value {
        Value::String(_) => format!("default {}", code_span(&value.to_string())),
        other => format!("default {other}"),
    }
}

fn bounds(ty: &Type) -> Option<String> {
    match ty {
        Type::Integer(_, limits) => number(limits),
        Type::Number(limits) => number(limits),
        Type::String(limits) | Type::Secret(limits) => {
            let size = size(limits.min, limits.max, "character");
            let pattern = limits.pattern.as_deref();
            all([size, pattern.map(|pattern| format!("matches {}", code_span(pattern)))])
        }
        Type::File(limits) => size(limits.min, limits.max, "byte"),
        Type::Array(items, limits) => {
            let unique = limits.unique.then(|| "without repetition".to_owned());
            let items = bounds(items).map(|rules| format!("each {rules}"));
            all([size(limits.min, limits.max, "item"), unique, items])
        }
        Type::Open(limits) => size(limits.min, limits.max, "member"),
        Type::Map {
            values, size: limits, ..
        } => {
            let values = bounds(values).map(|rules| format!("each {rules}"));
            all([size(limits.min, limits.max, "member"), values])
        }
        Type::Nullable(inner) => bounds(inner),
        _ => None,
    }
}

fn all<const N: usize>(rules: [Option<String>; N]) -> Option<String> {
    let rules: Vec<_> = rules.into_iter().flatten().collect();
    (!rules.is_empty()).then(|| rules.join(", "))
}

fn number<T: Copy + PartialEq + Display>(limits: &NumberLimits<T>) -> Option<String> {
    all([
        range(limits.min, limits.max),
        limits.above.map(|above| format!("more than {above}")),
        limits.below.map(|below| format!("less than {below}")),
        limits.multiple_of.map(|of| format!("a multiple of {of}")),
    ])
}

fn size(min: Option<u64>, max: Option<u64>, unit: &str) -> Option<String> {
    let plural = if max.or(min) == Some(1) { "" } else { "s" };
    range(min, max).map(|range| format!("{range} {unit}{plural}"))
}

fn range<T: PartialEq + Display>(low: Option<T>, high: Option<T>) -> Option<String> {
    match (low, high) {
        (Some(low), Some(high)) if low == high => Some(format!("exactly {low}")),
        (Some(low), Some(high)) => Some(format!("{low} to {high}")),
        (Some(low), None) => Some(format!("at least {low}")),
        (None, Some(high)) => Some(format!("at most {high}")),
        (None, None) => None,
    }
}
