//! Decimal numbers of any length, compared exactly: `5.70` is `5.7`.

use std::cmp::Ordering;
use std::fmt;

/// Decimal number.
#[derive(Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// Digits before the point without leading zeros: empty below 1.
    whole: String,
    /// Digits after the point without trailing zeros.
    fraction: String,
}

impl Decimal {
    /// Parses a number: `5`, `-0.50`, `+.5`. Not `1,200`, which is two numbers, nor `1e3`.
    pub fn parse(text: &str) -> Option<Self> {
        match Self::split_from(text)? {
            (number, "") => Some(number),
            _ => None,
        }
    }

    /// Parses the number at the start of a text, and returns the rest of it.
    pub(super) fn split_from(text: &str) -> Option<(Self, &str)> {
        let unsigned = text.strip_prefix(['-', '\u{2212}', '+']).unwrap_or(text);
        let negative = unsigned.len() < text.len() && !text.starts_with('+');
        let (whole, rest) = digits(unsigned);
        let (fraction, rest) = match rest.strip_prefix('.').map(digits) {
            Some((fraction, rest)) if !fraction.is_empty() => (fraction, rest),
            _ if whole.is_empty() => return None,
            _ => ("", rest),
        };
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        let negative = negative && !(whole.is_empty() && fraction.is_empty());
        let number = Self {
            negative,
            whole,
            fraction,
        };
        Some((number, rest))
    }

    /// Returns the shortest decimal number that is parsed as this one; none if it is not finite.
    pub fn from_f64(number: f64) -> Option<Self> {
        // The format never has an exponent.
        Self::parse(&number.to_string())
    }

    /// Returns the nearest double; none beyond its range.
    pub fn to_f64(&self) -> Option<f64> {
        self.to_string().parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// Splits a text after its leading ASCII digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = |one: &Self, other: &Self| {
            let longer = one.whole.len().cmp(&other.whole.len());
            longer.then_with(|| (&one.whole, &one.fraction).cmp(&(&other.whole, &other.fraction)))
        };
        match (self.negative, other.negative) {
            (false, false) => magnitude(self, other),
            (true, true) => magnitude(other, self),
            (negative, other) => other.cmp(&negative),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        let point = if self.fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{}", self.fraction)
    }
}

/// Hides health values.
impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decimal(..)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Decimal;

    #[test]
    fn texts_of_the_same_number_are_equal() {
        for (one, other) in [
            ("5.70", "5.7"),
            ("005", "5"),
            ("-0.0", "0"),
            (".5", "+0.50"),
            ("\u{2212}3", "-3"),
        ] {
            assert!(
                Decimal::parse(one) == Decimal::parse(other) && Decimal::parse(one).is_some(),
                "{one} {other}"
            );
        }
        for bad in [
            "", "-", ".", "5.", "1,200", "1e3", "NaN", "inf", " 5", "5 ", "--5", "٥", "1.2.3",
        ] {
            assert!(Decimal::parse(bad).is_none(), "{bad}");
        }
        assert!(Decimal::from_f64(f64::NAN).is_none() && Decimal::from_f64(f64::INFINITY).is_none());
        assert_eq!(Decimal::from_f64(0.1), Decimal::parse("0.1"));
        assert_eq!(Decimal::from_f64(1e21), Decimal::parse("1000000000000000000000"));
        assert_eq!(
            Decimal::parse(&"9".repeat(400)).and_then(|number| number.to_f64()),
            None
        );
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_numbers(one in -2_000_i32..2_000, other in -2_000_i32..2_000) {
            let decimal = |hundredths: i32| Decimal::from_f64(f64::from(hundredths) / 100.0).expect("a number");
            prop_assert_eq!(decimal(one).cmp(&decimal(other)), one.cmp(&other));
        }

        #[test]
        fn numbers_come_back(number in any::<f64>()) {
            let back = Decimal::from_f64(number).and_then(|decimal| decimal.to_f64());
            prop_assert_eq!(back, Some(number).filter(|number| number.is_finite()));
        }
    }
}
