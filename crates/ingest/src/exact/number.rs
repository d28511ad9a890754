//! Value of a JSON number, parsed from its text.

use std::borrow::Cow;

use serde_json::Number;

/// Returns the text that numbers of the same value share: the shortest one of the floating-point number if that is
/// exactly the same value.
///
/// An integer and the same number with a point differ, as they do for most readers.
pub(super) fn canonical(text: &str) -> Cow<'_, str> {
    if is_canonical(text) {
        return Cow::Borrowed(text);
    }
    let Some(exact) = Decimal::read(text) else {
        return Cow::Borrowed(text);
    };
    let shown = serde_json::from_str::<Number>(text).map(|number| number.to_string());
    match shown {
        Ok(shown) if Decimal::read(&shown).is_some_and(|shown| shown == exact) => Cow::Owned(shown),
        _ => Cow::Owned(exact.to_string()),
    }
}

/// Returns whether a number certainly is the shortest text of its floating-point number, as most are.
fn is_canonical(text: &str) -> bool {
    let positive = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match positive.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (positive, None),
    };
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // Numbers of so few digits are exact, and from 0.0001 on they are written without an exponent.
    positive.len() <= 15
        && are_digits(whole)
        && match fraction {
            None => text != "-0",
            Some(fraction) => {
                are_digits(fraction) && !fraction.ends_with('0') && !(whole == "0" && fraction.starts_with("0000"))
            }
        }
}

/// Decimal number, with one representation for each value: `0.digits * 10^exponent`, without zeros at either end.
#[derive(PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) negative: bool,
    pub(crate) digits: String,
    pub(crate) exponent: i64,
}

impl Decimal {
    /// Parses a number; none if the exponent is out of bounds.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let before_point = i64::try_from(whole.len()).ok()? - i64::try_from(all.len() - digits.len()).ok()?;
        let digits = digits.trim_end_matches('0');
        Some(Self {
            negative,
            digits: digits.to_owned(),
            exponent: match digits {
                "" => 0,
                _ => exponent.checked_add(before_point)?,
            },
        })
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}0.{}e{}", self.digits, self.exponent)
    }
}
