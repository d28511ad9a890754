//! Interpretation of a result, as HL7 codes it.

use serde_json::{Value, json};
use wearlab_models::{BiomarkerResult, ResultInterpretation};

use crate::concepts::concept;

/// Returns the interpretation. The side of the range that a result is beyond is more specific than `abnormal`. Null if
/// it is unknown.
pub(super) fn of(result: &BiomarkerResult) -> Value {
    let critical = result.interpretation == Some(ResultInterpretation::Critical);
    let above = result.is_above_max_range == Some(true);
    let below = result.is_below_min_range == Some(true);
    let (code, display) = match (above, below) {
        (true, false) if critical => ("HH", "Critical high"),
        (false, true) if critical => ("LL", "Critical low"),
        (true, false) => ("H", "High"),
        (false, true) => ("L", "Low"),
        _ => match result.interpretation {
            Some(ResultInterpretation::Normal) => ("N", "Normal"),
            Some(ResultInterpretation::Abnormal) => ("A", "Abnormal"),
            Some(ResultInterpretation::Critical) => ("AA", "Critical abnormal"),
            _ => return Value::Null,
        },
    };
    let system = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation";
    json!([concept(system, code, display)])
}
