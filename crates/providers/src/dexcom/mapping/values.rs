//! Values of records and their units.

use serde_json::{Value, json};

use super::super::generated::models::{GlucoseUnit, RecordValue};
use crate::numbers::GLUCOSE_MILLIGRAMS;

/// Returns the number of a value, if it is one.
pub(super) fn number(value: &RecordValue) -> Option<f64> {
    match value {
        RecordValue::Number(number) => Some(*number),
        RecordValue::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// Returns a value as text.
pub(super) fn text(value: &RecordValue) -> Option<String> {
    match value {
        RecordValue::Number(number) => Some(number.to_string()),
        RecordValue::Text(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        _ => None,
    }
}

/// Returns the value of a sample in a unit. Null if it is not a number of this unit: the sample is rejected without a value.
pub(super) fn amount(value: &RecordValue, is_unit: bool) -> Value {
    number(value)
        .filter(|_| is_unit)
        .map_or(Value::Null, |number| json!(number))
}

/// Returns glucose in mmol/L. Null if the unit is not known.
pub(super) fn glucose(number: f64, unit: &GlucoseUnit) -> Value {
    match unit {
        GlucoseUnit::MgPerDl => json!(number / GLUCOSE_MILLIGRAMS),
        GlucoseUnit::MmolPerL => json!(number),
        _ => Value::Null,
    }
}
