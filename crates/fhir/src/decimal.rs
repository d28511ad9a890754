//! Converts the text of a number to a JSON number that is printed with the same digits.

use serde_json::Number;

/// Bound below which every integer is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Number as a lab states it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decimal {
    pub(crate) value: Number,
    /// Number of digits after the point, if the number is printed with fewer.
    pub(crate) decimal_places: Option<usize>,
}

impl Decimal {
    /// Parses digits, with a sign, and a point among them or before them. None for anything else, and for more digits
    /// than a double holds.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = &*text.replacen('\u{2212}', "-", 1);
        let unsigned = text.strip_prefix('+').filter(|rest| !rest.starts_with('-'));
        let text = unsigned.unwrap_or(text);
        let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
        let (whole, fraction) = digits
            .split_once('.')
            .map_or((digits, ""), |(whole, fraction)| (whole, fraction));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let has_digits = !fraction.is_empty() || (!whole.is_empty() && !digits.contains('.'));
        if !has_digits || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        if fraction.is_empty() {
            let value: i64 = text.parse().ok()?;
            return Some(Self {
                value: value.into(),
                decimal_places: None,
            });
        }
        let value: f64 = text.parse().ok()?;
        let printed = value.abs().to_string();
        let (printed_whole, printed_fraction) = printed.split_once('.').unwrap_or((&printed, ""));
        let same = printed_whole.trim_start_matches('0') == whole.trim_start_matches('0')
            && printed_fraction == fraction.trim_end_matches('0');
        // The sign of a zero is lost.
        if !same || (value == 0.0 && !sign.is_empty()) {
            return None;
        }
        // A JSON writer prints at least one digit after the point.
        let places = printed_fraction.len().max(1);
        Some(Self {
            value: Number::from_f64(value)?,
            decimal_places: (fraction.len() > places).then_some(fraction.len()),
        })
    }
}

/// Converts a double, to an integer if it is one.
pub(crate) fn number(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer, and within bounds")]
        return Some((value as i64).into());
    }
    Number::from_f64(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        for (text, printed, places) in [
            ("131", "131", None),
            ("-3", "-3", None),
            ("\u{2212}3", "-3", None),
            ("+3", "3", None),
            ("007", "7", None),
            ("5.1", "5.1", None),
            ("5.0", "5.0", None),
            ("5.10", "5.1", Some(2)),
            ("5.000", "5.0", Some(3)),
            (".5", "0.5", None),
            ("0.1", "0.1", None),
            ("-0.25", "-0.25", None),
            ("0.00", "0.0", Some(2)),
            ("123456789012345", "123456789012345", None),
        ] {
            let decimal = Decimal::parse(text).expect(text);
            assert_eq!(
                (decimal.value.to_string().as_str(), decimal.decimal_places),
                (printed, places),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_decimal_is_none() {
        for text in [
            "",
            ".",
            "-",
            "5.",
            "+-5",
            "1e5",
            "1,200",
            "5 ",
            "five",
            "NaN",
            "inf",
            "-0.0",
            "--1",
            "1.2.3",
            "٣",
            "0.1234567890123456789",
            "99999999999999999999",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn bounds_are_integers_where_they_can_be() {
        let printed = |value| number(value).map(|number| number.to_string());
        assert_eq!(printed(100.0).as_deref(), Some("100"));
        assert_eq!(printed(0.3).as_deref(), Some("0.3"));
        assert_eq!(printed(-0.0).as_deref(), Some("0"));
        assert_eq!(printed(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn a_decimal_is_the_number_of_its_text(text in "-?[0-9]{0,6}(\\.[0-9]{1,8})?") {
            if let Some(decimal) = Decimal::parse(&text) {
                prop_assert_eq!(decimal.value.as_f64(), text.parse::<f64>().ok());
            }
        }
    }
}
