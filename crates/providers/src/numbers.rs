//! Numbers.

/// mg/dL of a mmol/L of glucose.
pub(crate) const GLUCOSE_MILLIGRAMS: f64 = 18.0182;

/// Rounds to a number of decimals, which removes the binary rounding error of a product or a quotient of decimals.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let power = 10_f64.powi(decimals);
    (value * power).round() / power
}
