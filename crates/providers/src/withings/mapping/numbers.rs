//! Numbers that were measured.

/// Returns a value that was measured: what was not is 0.
pub(super) fn measured(value: Option<f64>) -> Option<f64> {
    value.filter(|value| *value > 0.0)
}

/// Returns a number of a member that has whole numbers.
pub(super) fn whole(value: f64) -> i64 {
    value.round() as i64
}
