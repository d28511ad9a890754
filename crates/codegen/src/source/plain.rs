//! Plain scalars: their values in YAML 1.2, and their ambiguity in YAML 1.1.

use serde_json::{Number, Value};

/// The core schema of YAML 1.2, without scalars that YAML 1.1 reads differently.
pub(super) fn value(word: &str) -> Option<Value> {
    Some(match word {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        word if is_ambiguous(word) => return None,
        word => number(word).unwrap_or_else(|| Value::String(word.to_owned())),
    })
}

/// The core schema of YAML 1.2 for a scalar that YAML 1.1 reads differently. `None` for a number that JSON does not
/// have.
pub(super) fn value_of_1_2(word: &str) -> Option<Value> {
    let digits = word.trim_start_matches(['+', '-']);
    if NOT_FINITE.contains(&digits) {
        return None;
    }
    let based = [("0x", 16), ("0o", 8)].into_iter().find_map(|(prefix, radix)| {
        let digits = word.strip_prefix(prefix)?;
        i64::from_str_radix(digits, radix).ok()
    });
    Some(match word {
        "True" | "TRUE" => Value::Bool(true),
        "False" | "FALSE" => Value::Bool(false),
        "Null" | "NULL" => Value::Null,
        word => match based {
            Some(number) => number.into(),
            None => number(word).unwrap_or_else(|| Value::String(word.to_owned())),
        },
    })
}

/// Returns whether all parsers read a word as the same key: of the booleans of YAML 1.1, none reads those of one letter
/// as such.
pub(super) fn is_key(word: &str) -> bool {
    matches!(word, "y" | "Y" | "n" | "N")
        || !is_ambiguous(word) && !matches!(word, "" | "~" | "null" | "true" | "false")
}

const AMBIGUOUS: [&str; 22] = [
    "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N", "True", "TRUE",
    "False", "FALSE", "Null", "NULL",
];

const NOT_FINITE: [&str; 6] = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"];

/// Returns whether parsers read a plain scalar differently: YAML 1.1 has more booleans, and numbers with bases,
/// underscores and colons.
fn is_ambiguous(word: &str) -> bool {
    if AMBIGUOUS.contains(&word) {
        return true;
    }
    let digits = word.trim_start_matches(['+', '-']);
    let prefixed = |prefix: &str, radix| {
        let rest = digits.strip_prefix(prefix).map(|rest| rest.replace('_', ""));
        rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    let number =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| "0123456789_.".contains(c));
    let padded = digits.len() > 1 && digits.starts_with('0') && digits.chars().all(|c| c.is_ascii_digit() || c == '_');
    let colons = digits.contains(':') && digits.split(':').all(number);
    let underscores = digits.contains('_') && number(digits);
    let not_finite = NOT_FINITE.contains(&digits);
    prefixed("0x", 16) || prefixed("0o", 8) || prefixed("0b", 2) || padded || colons || underscores || not_finite
}

fn number(word: &str) -> Option<Value> {
    if let Ok(integer) = word.parse::<i64>() {
        return Some(integer.into());
    }
    if !word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    word.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}
