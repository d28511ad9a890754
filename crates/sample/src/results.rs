//! Simulated results of lab tests: most within the usual range, some beyond it.

use wearlab_ingest::orders::ReportedResult;
use wearlab_models::{Marker, ResultInterpretation, ResultType, Uuid};

use super::labs::usual_range;

/// Returns a result of a marker, always the same for the same order.
pub fn result(order_id: Uuid, marker: &Marker) -> ReportedResult {
    let loinc = marker.expected_results.first().map(|result| &result.loinc);
    let (min, max) = loinc.map_or((None, None), |loinc| usual_range(&loinc.code));
    let share = share(order_id, marker.id);
    let (text, type_) = match value(min, max, share) {
        Some(value) => (value, ResultType::Numeric),
        None => ("Negative".to_owned(), ResultType::CodedValue),
    };
    let number = text.parse::<f64>().ok();
    let is_beyond =
        number.is_some_and(|value| min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max));
    let reference_range = match (min, max) {
        (Some(min), Some(max)) => Some(format!("{min}-{max}")),
        (Some(min), None) => Some(format!(">={min}")),
        (None, Some(max)) => Some(format!("<={max}")),
        (None, None) => None,
    };
    ReportedResult {
        name: marker.name.clone(),
        slug: Some(marker.slug.clone()),
        result: text,
        type_,
        unit: marker.unit.clone(),
        timestamp: None,
        notes: None,
        reference_range,
        min_range_value: min,
        max_range_value: max,
        interpretation: Some(match is_beyond {
            true => ResultInterpretation::Abnormal,
            false => ResultInterpretation::Normal,
        }),
        loinc: loinc.map(|loinc| loinc.code.clone()),
        loinc_slug: loinc.map(|loinc| loinc.slug.clone()),
        provider_id: Some(marker.provider_id.clone()),
    }
}

/// Returns a value near a range: about one in eight is beyond it.
fn value(min: Option<f64>, max: Option<f64>, share: f64) -> Option<String> {
    let (low, high) = match (min, max) {
        (Some(min), Some(max)) => (min, max),
        (Some(min), None) => (min, min * 2.0),
        (None, Some(max)) => (max / 3.0, max),
        (None, None) => return None,
    };
    let value = low + (high - low) * (share * 1.15 - 0.05);
    let digits = match high {
        high if high < 1.0 => 2,
        high if high < 20.0 => 1,
        _ => 0,
    };
    Some(format!("{:.digits$}", value.max(0.0)))
}

/// Returns a pseudorandom number from 0 to 1.
fn share(order_id: Uuid, marker_id: i64) -> f64 {
    let (high, low) = order_id.as_u64_pair();
    let mut mixed = high ^ low ^ marker_id.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // The last steps of splitmix64.
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let top = u16::try_from((mixed ^ (mixed >> 31)) >> 48).unwrap_or_default();
    f64::from(top) / f64::from(u16::MAX)
}
