//! Assessment of a result by its reference range.

use super::{Bound, Decimal, Interpretation, Interval, ResultType};

/// Result as a lab reports it. It has no `Debug`: logs show no results.
#[derive(Clone, Copy)]
pub struct Measurement<'a> {
    /// Kind of the text.
    pub result_type: ResultType,
    /// Text of the result.
    pub result: &'a str,
    /// Unit, which may also follow the texts.
    pub unit: Option<&'a str>,
    /// Least normal number.
    pub min_range_value: Option<f64>,
    /// Greatest normal number.
    pub max_range_value: Option<f64>,
    /// Range as a text, which is used if the two numbers are absent: `3.5-5.0`, `<5.7`, `>=60`.
    pub reference_range: Option<&'a str>,
}

/// Assessment of a result.
#[derive(Clone, PartialEq, Default)]
pub struct Assessment {
    /// Number of a numeric result, for readers of the deprecated `value`. None for all others.
    pub value: Option<f64>,
    /// Least normal number. The text of the range tells whether it is normal itself.
    pub min_range_value: Option<f64>,
    /// Greatest normal number.
    pub max_range_value: Option<f64>,
    /// True if the result is above the range. None if that is undecided: no maximum, no number, or `>100` with a
    /// maximum of 120.
    pub is_above_max_range: Option<bool>,
    /// True if the result is below the range.
    pub is_below_min_range: Option<bool>,
    /// `abnormal` outside of the range, `normal` if it is certainly inside. Never `critical`.
    pub interpretation: Option<Interpretation>,
}

impl<'a> Measurement<'a> {
    /// Creates a result without optional fields.
    pub const fn of(result_type: ResultType) -> Self {
        Self {
            result_type,
            result: "",
            unit: None,
            min_range_value: None,
            max_range_value: None,
            reference_range: None,
        }
    }

    /// Returns the numbers that the result may be: none for a comment or a coded value, nor for other texts.
    pub fn numbers(&self) -> Option<Interval> {
        match self.result_type {
            ResultType::Numeric | ResultType::Range => Interval::parse(self.result, self.unit),
            ResultType::Comment | ResultType::CodedValue => None,
        }
    }

    /// Returns the reference range: the two numbers, or else that of the text. None if there is neither, or they
    /// contradict each other.
    pub fn range(&self) -> Option<Interval> {
        let number = |value: Option<f64>| value.and_then(Decimal::from_f64).map(Bound::inclusive);
        let (low, high) = (number(self.min_range_value), number(self.max_range_value));
        match (&low, &high) {
            (None, None) => {
                let range = Interval::parse(self.reference_range?, self.unit)?;
                // A single number is not a range.
                range.number().is_none().then_some(range)
            }
            (Some(low), Some(high)) if low.value > high.value => None,
            _ => Some(Interval { low, high }),
        }
    }

    /// Assesses the result.
    pub fn assess(&self) -> Assessment {
        let numbers = self.numbers();
        let range = self.range();
        let end = |bound: Option<&Bound>| bound.and_then(|bound| bound.value.to_f64());
        let both = numbers.as_ref().zip(range.as_ref());
        let above = both.and_then(|(numbers, range)| numbers.is_above(range));
        let below = both.and_then(|(numbers, range)| numbers.is_below(range));
        let number = numbers.as_ref().and_then(Interval::number).and_then(Decimal::to_f64);
        Assessment {
            value: number.filter(|_| self.result_type == ResultType::Numeric),
            min_range_value: self
                .min_range_value
                .or_else(|| end(range.as_ref().and_then(|range| range.low.as_ref()))),
            max_range_value: self
                .max_range_value
                .or_else(|| end(range.as_ref().and_then(|range| range.high.as_ref()))),
            is_above_max_range: above,
            is_below_min_range: below,
            interpretation: range.as_ref().and_then(|range| interpretation(range, above, below)),
        }
    }
}

/// Returns abnormal if it is outside of an end, and normal if it is inside of all existing ends.
fn interpretation(range: &Interval, above: Option<bool>, below: Option<bool>) -> Option<Interpretation> {
    if above == Some(true) || below == Some(true) {
        return Some(Interpretation::Abnormal);
    }
    let inside = |end: &Option<Bound>, beyond: Option<bool>| end.is_none() || beyond == Some(false);
    (inside(&range.high, above) && inside(&range.low, below)).then_some(Interpretation::Normal)
}

#[cfg(test)]
mod tests {
    use super::Interpretation::{Abnormal, Normal};
    use super::ResultType::{CodedValue, Comment, Numeric, Range};
    use super::{Interpretation, Measurement, ResultType};

    fn assessed(
        result_type: ResultType,
        result: &str,
        range: &str,
    ) -> (Option<f64>, Option<bool>, Option<bool>, Option<Interpretation>) {
        let measurement = Measurement {
            result,
            unit: Some("mg/dL"),
            reference_range: Some(range),
            ..Measurement::of(result_type)
        };
        let found = measurement.assess();
        (
            found.value,
            found.is_below_min_range,
            found.is_above_max_range,
            found.interpretation,
        )
    }

    #[test]
    fn results_are_compared_with_the_text_of_their_range() {
        let (no, yes) = (Some(false), Some(true));
        for (result_type, result, range, expected) in [
            (Numeric, "4.2", "3.5-5.0", (Some(4.2), no, no, Some(Normal))),
            (Numeric, "3.5", "3.5-5.0", (Some(3.5), no, no, Some(Normal))),
            (Numeric, "5.00", "3.5-5.0", (Some(5.0), no, no, Some(Normal))),
            (Numeric, "5.01", "3.5-5.0", (Some(5.01), no, yes, Some(Abnormal))),
            (
                Numeric,
                "3.49 mg/dL",
                "3.5-5.0 mg/dL",
                (Some(3.49), yes, no, Some(Abnormal)),
            ),
            (Numeric, "5.7", "<5.7", (Some(5.7), None, yes, Some(Abnormal))),
            (Numeric, "5.7", "<=5.7", (Some(5.7), None, no, Some(Normal))),
            (Numeric, "59", ">=60", (Some(59.0), yes, None, Some(Abnormal))),
            (Range, "<0.5", "0.5-4.5", (None, yes, no, Some(Abnormal))),
            (Range, "<0.5", "0.4-4.5", (None, None, no, None)),
            (Numeric, "<0.5", "<1", (None, None, no, Some(Normal))),
            (Range, ">100", "0-100", (None, no, yes, Some(Abnormal))),
            (Range, ">100", "0-120", (None, no, None, None)),
            (Range, "0-2", "0-5", (None, no, no, Some(Normal))),
            (Range, "4-6", "0-5", (None, no, None, None)),
            (Range, "7", "0-5", (None, no, yes, Some(Abnormal))),
            (Numeric, "TNP", "3.5-5.0", (None, None, None, None)),
            (Numeric, "4.2", "Negative", (Some(4.2), None, None, None)),
            (Numeric, "4.2", "4", (Some(4.2), None, None, None)),
            (CodedValue, "4.2", "3.5-5.0", (None, None, None, None)),
            (Comment, "4.2", "3.5-5.0", (None, None, None, None)),
        ] {
            assert_eq!(assessed(result_type, result, range), expected, "{result} in {range}");
        }
    }

    #[test]
    fn given_numbers_count_before_the_text() {
        let measurement = Measurement {
            result: "0.3",
            min_range_value: Some(0.1),
            max_range_value: Some(0.3),
            reference_range: Some("<0.2"),
            ..Measurement::of(Numeric)
        };
        let found = measurement.assess();
        assert_eq!(found.interpretation, Some(Normal));
        let one = Measurement {
            min_range_value: None,
            ..measurement
        };
        let found = one.assess();
        assert_eq!((found.min_range_value, found.is_below_min_range), (None, None));
        assert_eq!(
            (found.max_range_value, found.is_above_max_range),
            (Some(0.3), Some(false))
        );
        let wrong = Measurement {
            min_range_value: Some(9.0),
            ..measurement
        };
        let found = wrong.assess();
        assert_eq!((found.is_above_max_range, found.is_below_min_range), (None, None));
        let text = Measurement {
            min_range_value: None,
            max_range_value: None,
            reference_range: Some("0.05-0.2"),
            ..measurement
        };
        let found = text.assess();
        assert_eq!((found.min_range_value, found.max_range_value), (Some(0.05), Some(0.2)));
    }
}
