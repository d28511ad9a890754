//! Units of the provider.

/// Kilojoules of a kilocalorie.
const KILOJOULES: f64 = 4.184;

/// Returns an energy in kcal, rounded to a thousandth: what remains of a quotient of decimals in binary.
pub(super) fn kilocalories(kilojoules: f64) -> f64 {
    (kilojoules / KILOJOULES * 1_000.0).round() / 1_000.0
}

/// Returns a duration in s, rounded.
pub(super) fn seconds(milliseconds: i64) -> i64 {
    milliseconds.saturating_add(500).div_euclid(1_000)
}
