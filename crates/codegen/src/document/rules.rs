//! Bounds and default of a parameter as a sentence.

use std::fmt::Display;

use serde_json::Value;

use super::{TextLimits, Type};
use crate::rustdoc::code_span;

/// A sentence such as `1 to 500, default 100.`, if there are any.
pub(super) fn sentence(ty: &Type, default: Option<&Value>) -> Option<String> {
    let rules: Vec<_> = [bounds(ty), default.map(self::default)].into_iter().flatten().collect();
    let rules = rules.join(", ");
    let first = rules.chars().next()?;
    Some(format!("{}{}.", first.to_uppercase(), &rules[first.len_utf8()..]))
}

fn default(value: &Value) -> String {
    match value {
        Value::String(_) => format!("default {}", code_span(&value.to_string())),
        other => format!("default {other}"),
    }
}

fn bounds(ty: &Type) -> Option<String> {
    match ty {
        Type::Integer(_, limits) => range(limits.min, limits.max),
        Type::Number(limits) => range(limits.min, limits.max),
        Type::String(TextLimits { min, max, .. }) => {
            let unit = if max.or(*min) == Some(1) {
                "character"
            } else {
                "characters"
            };
            range(*min, *max).map(|range| format!("{range} {unit}"))
        }
        Type::Array(_, limits) => {
            let unit = if limits.max.or(limits.min) == Some(1) {
                "item"
            } else {
                "items"
            };
            let size = range(limits.min, limits.max).map(|range| format!("{range} {unit}"));
            let unique = limits.unique.then(|| "without repetition".to_owned());
            let rules: Vec<_> = [size, unique].into_iter().flatten().collect();
            (!rules.is_empty()).then(|| rules.join(", "))
        }
        Type::Nullable(inner) => bounds(inner),
        _ => None,
    }
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
