//! Numbers.

/// Rounds to a tenth, to remove the binary rounding error of a product of decimals.
pub(crate) fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Rounds to a thousandth, to remove the binary rounding error of a difference of decimals.
pub(crate) fn round_thousandths(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
