//! Exact decimal numbers.

use std::sync::Arc;

/// A number of JSON, exactly. Two are equal if they are the same number, however they were written.
#[derive(Clone, PartialEq, Eq)]
pub enum Number {
    /// `mantissa / 10^scale`, with the smallest scale that is enough.
    Decimal {
        /// The digits.
        mantissa: i64,
        /// How many of them are behind the point, from 0 to 18.
        scale: u8,
    },
    /// The text of any other number: one with more digits, or far from 1.
    Text(Arc<str>),
}

/// The most digits behind the point of a decimal.
const MOST_SCALE: u8 = 18;

impl Number {
    /// Reads a number of JSON.
    pub fn read(text: &str) -> Self {
        read_decimal(text).unwrap_or_else(|| Self::Text(Arc::from(text)))
    }

    /// The decimal `mantissa / 10^scale`.
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

    /// Appends it as JSON.
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

/// The decimal of a number's text, if it is one: `-12.50e1` is -125.
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
    // More zeros behind the point than a scale may count.
    while scale > i64::from(MOST_SCALE) && mantissa % 10 == 0 {
        mantissa /= 10;
        scale -= 1;
    }
    while scale < 0 {
        mantissa = mantissa.checked_mul(10)?;
        scale += 1;
    }
    let scale = u8::try_from(scale).ok().filter(|scale| *scale <= MOST_SCALE)?;
    Some(Number::decimal(mantissa, scale))
}
