//! Intervals of numbers, as results and reference ranges give them.

use super::Decimal;

/// End of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Number at the end.
    pub value: Decimal,
    /// True if the number itself belongs to the interval.
    pub inclusive: bool,
}

impl Bound {
    /// Creates a bound that belongs to the interval.
    pub const fn inclusive(value: Decimal) -> Self {
        Self { value, inclusive: true }
    }
}

/// Numbers between two bounds; without a bound, all of that side. A single number is the interval from it to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Lower end.
    pub low: Option<Bound>,
    /// Upper end.
    pub high: Option<Bound>,
}

impl Interval {
    /// Parses a text: `5`, `<0.5`, `>= 60`, `< OR = 200`, `3.5-5.0`, `3.5 to 5.0`, with or without brackets, and with
    /// or without the unit after it. None for other texts, and for a range with swapped ends.
    pub fn parse(text: &str, unit: Option<&str>) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['[', '(']).unwrap_or(text);
        let text = text.strip_suffix([']', ')']).unwrap_or(text).trim_end();
        let unit = unit.map(str::trim).filter(|unit| !unit.is_empty());
        let text = unit.and_then(|unit| text.strip_suffix(unit)).unwrap_or(text).trim();
        if let Some((below, inclusive, limit)) = comparison(text) {
            let value = Decimal::parse(limit)?;
            let bound = Some(Bound { value, inclusive });
            return Some(match below {
                true => Self { low: None, high: bound },
                false => Self { low: bound, high: None },
            });
        }
        let (low, rest) = Decimal::split_from(text)?;
        let rest = rest.trim_start();
        if rest.is_empty() {
            return Some(Self::of(low.clone(), low));
        }
        let separated = rest.strip_prefix(['-', '\u{2013}', '\u{2014}']);
        let high = separated
            .or_else(|| rest.strip_prefix("to "))
            .or_else(|| rest.strip_prefix("TO "))?;
        let high = Decimal::parse(high.trim_start())?;
        (low <= high).then(|| Self::of(low, high))
    }

    /// Creates an interval whose two ends belong to it.
    pub const fn of(low: Decimal, high: Decimal) -> Self {
        Self {
            low: Some(Bound::inclusive(low)),
            high: Some(Bound::inclusive(high)),
        }
    }

    /// Returns the number, if it is a single one.
    pub fn number(&self) -> Option<&Decimal> {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if low == high && low.inclusive => Some(&low.value),
            _ => None,
        }
    }

    /// Returns whether its numbers are above the upper end of a range: all, or none. None if some may be, or the range
    /// has no upper end.
    pub fn is_above(&self, range: &Self) -> Option<bool> {
        let max = range.high.as_ref()?;
        // An end of the range that does not belong to it is outside.
        let all = self
            .low
            .as_ref()
            .is_some_and(|low| low.value > max.value || (low.value == max.value && !(max.inclusive && low.inclusive)));
        let none = self.high.as_ref().is_some_and(|high| {
            high.value < max.value || (high.value == max.value && (max.inclusive || !high.inclusive))
        });
        decide(all, none)
    }

    /// Returns whether its numbers are below the lower end of a range: all, or none. None if some may be, or the range
    /// has no lower end.
    pub fn is_below(&self, range: &Self) -> Option<bool> {
        let min = range.low.as_ref()?;
        let all = self.high.as_ref().is_some_and(|high| {
            high.value < min.value || (high.value == min.value && !(min.inclusive && high.inclusive))
        });
        let none = self
            .low
            .as_ref()
            .is_some_and(|low| low.value > min.value || (low.value == min.value && (min.inclusive || !low.inclusive)));
        decide(all, none)
    }
}

const fn decide(all: bool, none: bool) -> Option<bool> {
    match (all, none) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Parses `<`, `<=`, `>` and their other forms. Returns whether it is an upper end, whether it belongs to the interval,
/// and the rest of the text.
fn comparison(text: &str) -> Option<(bool, bool, &str)> {
    let sign = text.chars().next()?;
    let (below, equal) = match sign {
        '<' => (true, false),
        '>' => (false, false),
        '\u{2264}' => (true, true),
        '\u{2265}' => (false, true),
        _ => return None,
    };
    let rest = text[sign.len_utf8()..].trim_start();
    let rest = rest
        .strip_prefix("or")
        .or_else(|| rest.strip_prefix("OR"))
        .unwrap_or(rest)
        .trim_start();
    let limit = rest.strip_prefix('=');
    Some((below, equal || limit.is_some(), limit.unwrap_or(rest).trim_start()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Bound, Decimal, Interval};

    fn bound(value: &str, inclusive: bool) -> Option<Bound> {
        let value = Decimal::parse(value).expect("a number");
        Some(Bound { value, inclusive })
    }

    #[test]
    fn texts_of_labs_are_read() {
        let both = |low, high| {
            Some(Interval {
                low: bound(low, true),
                high: bound(high, true),
            })
        };
        let below = |high, inclusive| {
            Some(Interval {
                low: None,
                high: bound(high, inclusive),
            })
        };
        let above = |low, inclusive| {
            Some(Interval {
                low: bound(low, inclusive),
                high: None,
            })
        };
        for (text, expected) in [
            ("5.0", both("5", "5")),
            ("-5", both("-5", "-5")),
            ("3.5-5.0", both("3.5", "5")),
            (" 3.5 - 5.0 ", both("3.5", "5")),
            ("3.5\u{2013}5.0", both("3.5", "5")),
            ("3.5 to 5.0", both("3.5", "5")),
            ("[3.5-5.0]", both("3.5", "5")),
            ("(3.5-5.0 mg/dL)", both("3.5", "5")),
            ("3.5-5.0mg/dL", both("3.5", "5")),
            ("-2--1", both("-2", "-1")),
            ("-2 - +2", both("-2", "2")),
            ("<5.7", below("5.7", false)),
            ("< 5.7 mg/dL", below("5.7", false)),
            ("<=5.7", below("5.7", true)),
            ("\u{2264}5.7", below("5.7", true)),
            ("< OR = 200", below("200", true)),
            ("<or=200", below("200", true)),
            (">100", above("100", false)),
            (">=60", above("60", true)),
            ("\u{2265} 60", above("60", true)),
            (">60", above("60", false)),
            ("", None),
            ("<", None),
            ("Negative", None),
            ("See note", None),
            ("5.0-3.5", None),
            ("3.5-", None),
            ("3.5-5.0 g/L", None),
            ("3-4-5", None),
            ("1,200", None),
            ("1+", None),
        ] {
            assert!(Interval::parse(text, Some("mg/dL")) == expected, "{text}");
        }
    }

    /// End of an interval in the model: in whole numbers.
    type End = Option<(i32, bool)>;

    fn end() -> impl Strategy<Value = End> {
        proptest::option::of((0..6_i32, any::<bool>()))
    }

    fn interval(low: End, high: End) -> Interval {
        let bound = |end: End| end.and_then(|(value, inclusive)| bound(&value.to_string(), inclusive));
        Interval {
            low: bound(low),
            high: bound(high),
        }
    }

    /// Returns whether a number of halves is above an upper end, or below a lower one (with both negated).
    fn beyond(halves: i32, (value, inclusive): (i32, bool)) -> bool {
        halves > 2 * value || (halves == 2 * value && !inclusive)
    }

    fn negated(end: End) -> End {
        end.map(|(value, inclusive)| (-value, inclusive))
    }

    fn model(low: End, high: End, max: End) -> Option<bool> {
        let inside = |halves: &i32| {
            !high.is_some_and(|high| beyond(*halves, high)) && !negated(low).is_some_and(|low| beyond(-*halves, low))
        };
        // Wide enough for intervals without an end.
        let above: Vec<_> = (-20..=20)
            .filter(inside)
            .map(|halves| max.map(|max| beyond(halves, max)))
            .collect();
        let first = *above.first()?;
        above.iter().all(|above| *above == first).then_some(first)?
    }

    proptest! {
        #[test]
        fn above_and_below_are_said_of_all_numbers_alike(low in end(), high in end(), min in end(), max in end()) {
            let filled = |low: End, high: End| match (low, high) {
                (Some((low, low_in)), Some((high, high_in))) => low < high || (low == high && low_in && high_in),
                _ => true,
            };
            prop_assume!(filled(low, high));
            let (result, range) = (interval(low, high), interval(min, max));
            prop_assert_eq!(result.is_above(&range), model(low, high, max));
            prop_assert_eq!(result.is_below(&range), model(negated(high), negated(low), negated(min)));
        }
    }
}
