//! Numbers.

/// Rounds to a tenth: what remains of a product of decimals in binary.
pub(crate) fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Rounds to a thousandth: what remains of a difference of decimals in binary.
pub(crate) fn thousandths(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
