//! Exact decimal numbers.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::exact::Decimal;

/// Exact JSON number. Two are equal if they are the same number, however they were written. `Debug` shows no digits.
#[derive(Clone, PartialEq, Eq)]
pub enum Number {
    /// Decimal `mantissa / 10^scale`, with the smallest sufficient scale.
    Decimal {
        /// Digits of the number.
        mantissa: i64,
        /// Number of digits after the point, from 0 to 18.
        scale: u8,
    },
    /// Canonical text of any other number: it has more digits, or is far from 1.
    Text(Arc<str>),
}

/// Maximum digits after the point of a decimal.
const MOST_SCALE: u8 = 18;

impl Number {
    /// Parses a JSON number.
    pub fn read(text: &str) -> Self {
        let digits = || Some(of_digits(&Decimal::read(text)?));
        let number = read_decimal(text).or_else(digits);
        // The exponent is out of bounds.
        number.unwrap_or_else(|| Self::Text(Arc::from(text)))
    }

    /// Creates the decimal `mantissa / 10^scale`. A scale is at most 18.
    pub fn decimal(mut mantissa: i64, mut scale: u8) -> Self {
        if mantissa == 0 {
            scale = 0;
        }
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        Self::Decimal { mantissa, scale }
    }

    /// Returns the nearest double, for plots.
    pub fn to_f64(&self) -> f64 {
        match self {
            Self::Decimal { mantissa, scale } => *mantissa as f64 / 10_f64.powi(i32::from(*scale)),
            Self::Text(text) => text.parse().unwrap_or(f64::NAN),
        }
    }

    /// Returns the nearest integer, half to even. None beyond 64 bits.
    pub fn rounded(&self) -> Option<i64> {
        let (mantissa, scale) = match self {
            Self::Decimal { mantissa, scale } => (*mantissa, *scale),
            Self::Text(text) => {
                const BOUND: f64 = 9_223_372_036_854_775_808.0;
                let number = text.parse::<f64>().ok()?.round_ties_even();
                return (-BOUND..BOUND).contains(&number).then_some(number as i64);
            }
        };
        let one = 10_i64.checked_pow(scale.into())?;
        let (whole, rest) = (mantissa.div_euclid(one), mantissa.rem_euclid(one));
        let up = match rest.cmp(&(one - rest)) {
            Ordering::Less => 0,
            Ordering::Equal => whole.rem_euclid(2),
            Ordering::Greater => 1,
        };
        Some(whole + up)
    }

    /// Appends the number as JSON.
    pub fn write(&self, json: &mut Vec<u8>) {
        let (mantissa, scale) = match self {
            Self::Text(text) => return json.extend_from_slice(text.as_bytes()),
            Self::Decimal { mantissa, scale } => (*mantissa, usize::from(*scale)),
        };
        if mantissa < 0 {
            json.push(b'-');
        }
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(mantissa.unsigned_abs()).as_bytes();
        if scale == 0 {
            return json.extend_from_slice(digits);
        }
        match digits.len().checked_sub(scale) {
            Some(whole) if whole > 0 => {
                json.extend_from_slice(&digits[..whole]);
                json.push(b'.');
                json.extend_from_slice(&digits[whole..]);
            }
            _ => {
                json.extend_from_slice(b"0.");
                json.extend(std::iter::repeat_n(b'0', scale - digits.len()));
                json.extend_from_slice(digits);
            }
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Number")
    }
}

/// Parses the text of a number as a decimal, if it is one: `-12.50e1` is -125.
fn read_decimal(text: &str) -> Option<Number> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (negative, number) = match number.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, number),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut mantissa = 0_i64;
    for digit in whole.bytes().chain(fraction.bytes()) {
        let digit = i64::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
        mantissa = mantissa.checked_mul(10)?.checked_sub(digit)?;
    }
    // Minus zero is zero.
    let mut mantissa = if negative { mantissa } else { mantissa.checked_neg()? };
    let mut scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    if mantissa == 0 {
        scale = 0;
    }
    while scale < 0 {
        mantissa = mantissa.checked_mul(10)?;
        scale += 1;
    }
    let scale = u8::try_from(scale).ok()?;
    let number = Number::decimal(mantissa, scale);
    matches!(
        number,
        Number::Decimal {
            scale: 0..=MOST_SCALE,
            ..
        }
    )
    .then_some(number)
}

/// Creates the number of any digits: a decimal if it is one, or else the text that ECMAScript would write, with as many
/// digits.
fn of_digits(number: &Decimal) -> Number {
    let sign = if number.negative { "-" } else { "" };
    let (digits, point) = (number.digits.as_str(), number.exponent);
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    if digits.is_empty() {
        return Number::Decimal { mantissa: 0, scale: 0 };
    }
    let exponent = point.saturating_sub(count);
    if let Some(number) = read_decimal(&format!("{sign}{digits}e{exponent}")) {
        return number;
    }
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let text = match usize::try_from(point) {
        Ok(whole) if whole > 0 && whole < digits.len() => format!("{}.{}", &digits[..whole], &digits[whole..]),
        Ok(_) if (count..=21).contains(&point) => format!("{digits}{}", zeros(point - count)),
        _ if (-5..=0).contains(&point) => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let (first, others) = digits.split_at(1);
            let dot = if others.is_empty() { "" } else { "." };
            format!("{first}{dot}{others}e{}", point.saturating_sub(1))
        }
    };
    Number::Text(Arc::from(format!("{sign}{text}")))
}
