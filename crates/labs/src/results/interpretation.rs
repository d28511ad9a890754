//! Interpretation of results.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ResultType;

/// Interpretation of a result, or of all results of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interpretation {
    /// Inside of its range.
    Normal,
    /// Outside of its range.
    Abnormal,
    /// Far outside, so that somebody must act. Only labs report it: it is never computed from a reference range.
    Critical,
}

impl Interpretation {
    /// All interpretations, the worst last.
    pub const ALL: [Self; 3] = [Self::Normal, Self::Abnormal, Self::Critical];

    /// Returns its name, such as `abnormal`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Abnormal => "abnormal",
            Self::Critical => "critical",
        }
    }

    /// Returns the interpretation with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}

impl fmt::Display for Interpretation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Returns the interpretation of all results of an order: the worst. It is normal only if each result has an
/// interpretation, comments aside: a result without one, such as `Positive`, may be anything.
pub fn interpretation_of_all(
    results: impl IntoIterator<Item = (ResultType, Option<Interpretation>)>,
) -> Option<Interpretation> {
    let (mut worst, mut unknown) = (None, false);
    for (result_type, interpretation) in results {
        unknown |= interpretation.is_none() && result_type != ResultType::Comment;
        worst = worst.max(interpretation);
    }
    worst.filter(|worst| !unknown || *worst > Interpretation::Normal)
}

#[cfg(test)]
mod tests {
    use super::Interpretation::{Abnormal, Critical, Normal};
    use super::ResultType::{CodedValue, Comment, Numeric};
    use super::interpretation_of_all;

    #[test]
    fn an_order_is_normal_only_if_nothing_is_unknown() {
        for (results, expected) in [
            (vec![], None),
            (vec![(Numeric, Some(Normal)), (Comment, None)], Some(Normal)),
            (vec![(Numeric, Some(Normal)), (CodedValue, None)], None),
            (vec![(Numeric, Some(Abnormal)), (CodedValue, None)], Some(Abnormal)),
            (
                vec![(Numeric, Some(Critical)), (Numeric, Some(Abnormal))],
                Some(Critical),
            ),
            (vec![(Comment, None)], None),
        ] {
            assert_eq!(interpretation_of_all(results), expected);
        }
    }
}
