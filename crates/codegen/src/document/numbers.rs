//! Numbers and their bounds.

use serde_json::Value;

/// A whole number.
pub(super) fn whole(value: &Value) -> Option<i128> {
    value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from))
}

/// Returns whether the quotient is whole, at the precision of 64 bits.
pub(super) fn is_multiple(number: f64, multiple: f64) -> bool {
    let quotient = number / multiple;
    (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
}

pub(super) fn within<T: PartialOrd>(value: T, min: Option<T>, max: Option<T>) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

pub(super) fn range<T: ToString>(min: Option<T>, max: Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{} to {}", min.to_string(), max.to_string()),
        (Some(min), None) => format!("at least {}", min.to_string()),
        (None, Some(max)) => format!("at most {}", max.to_string()),
        (None, None) => "no bounds".to_owned(),
    }
}
