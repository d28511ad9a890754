//! Units of the provider.

use crate::numbers::rounded;

/// Kilojoules of a kilocalorie.
const KILOJOULES: f64 = 4.184;

/// Returns an energy in kcal, rounded to a thousandth.
pub(super) fn kilocalories(kilojoules: f64) -> f64 {
    rounded(kilojoules / KILOJOULES, 3)
}

/// Returns a duration in s, rounded.
pub(super) fn seconds(milliseconds: i64) -> i64 {
    milliseconds.saturating_add(500).div_euclid(1_000)
}
