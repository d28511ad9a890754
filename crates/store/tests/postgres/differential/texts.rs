//! Random times and texts with edge cases.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// Returns one of some values.
pub(super) fn one_of<T: Clone>(rng: &mut ChaCha8Rng, values: &[T]) -> T {
    values[rng.random_range(0..values.len())].clone()
}

/// Texts with edge cases that a column can hold and an index can look up.
const EDGE_CASES: &[&str] = &[
    "",
    " ",
    "plain",
    "Plain",
    "plain ",
    "\u{e9}",
    "e\u{301}",
    "\u{fb01}",
    "\u{130}i\u{131}",
    "stra\u{df}e",
    "\u{10ffff}",
    "\u{fffd}",
    "\u{feff}mark",
    "\u{d7ff}\u{e000}",
    "\u{1d4b3}\u{200d}\u{1f469}",
    "\u{202e}backwards",
    "\u{1}\u{7f}\u{85}",
    "tab\tline\r\nend",
    "'; DROP TABLE users; --",
    "\"$1\" ?1 :a @b $$ \\ \\u0000",
    "100%_",
    "null",
    "sealed:1:AAAA",
];

/// Returns a text for a column, not longer than an index can hold.
pub(super) fn text(rng: &mut ChaCha8Rng) -> String {
    match rng.random_range(0..12) {
        0 => "\u{e9}x".repeat(rng.random_range(0..250)),
        _ => one_of(rng, EDGE_CASES).to_owned(),
    }
}

/// Returns a text within a document.
pub(super) fn words(rng: &mut ChaCha8Rng) -> String {
    match rng.random_range(0..20) {
        0 => "nul\0within".to_owned(),
        1 => "long \u{1f9ea} ".repeat(rng.random_range(1..20_000)),
        _ => text(rng),
    }
}

/// Returns a value as a provider sends it.
pub(super) fn anything(rng: &mut ChaCha8Rng) -> Value {
    match rng.random_range(0..9) {
        0 => Value::Null,
        1 => json!(-0.0),
        2 => json!(1e300),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(0.1 + 0.2),
        6 => json!({ words(rng): [words(rng), {}] }),
        7 => json!([[], true]),
        _ => json!(words(rng)),
    }
}

/// Returns a point in time. Some are out of the range of the engines.
pub(super) fn time(rng: &mut ChaCha8Rng) -> &'static str {
    one_of(
        rng,
        &[
            "2024-01-01T00:00:00Z",
            "2024-01-01T00:00:00.000000001Z",
            "2024-01-01T05:30:00+05:30",
            "2024-01-01T00:00:00-12:00",
            "1969-12-31T23:59:59.999999999Z",
            "1600-02-29T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "2500-01-01T00:00:00+14:00",
            "9999-12-31T23:59:59Z",
            "2016-12-31T23:59:60Z",
        ],
    )
}
