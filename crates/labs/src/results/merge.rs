//! Merges reports of the results of an order: partial ones, final ones, corrections.

use std::collections::{HashMap, HashSet};
use std::fmt;

use chrono::{DateTime, Utc};

/// Key that two reports of the same result have in common: the LOINC code, or else the slug, or else the name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResultKey {
    /// LOINC code.
    Loinc(String),
    /// Slug of the result.
    Slug(String),
    /// Name of the result.
    Name(String),
}

impl ResultKey {
    /// Creates the key of a result. A blank code or slug is ignored.
    pub fn new(loinc: Option<&str>, slug: Option<&str>, name: &str) -> Self {
        let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        given(loinc)
            .map(Self::Loinc)
            .or_else(|| given(slug).map(Self::Slug))
            .unwrap_or_else(|| Self::Name(name.trim().to_owned()))
    }
}

/// Hides the tested markers.
impl fmt::Debug for ResultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loinc(_) => "Loinc(..)",
            Self::Slug(_) => "Slug(..)",
            Self::Name(_) => "Name(..)",
        })
    }
}

/// Result, or another part of a report, with the time of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported<T> {
    /// Time of the report.
    pub date_reported: DateTime<Utc>,
    /// Reported results.
    pub value: T,
}

/// Merges the existing results with those of another report.
///
/// Of each key, the result with the later `date_reported` counts, at the same date the one that arrived later (within a
/// report: the last one). The list is sorted by date; results of one report stay in its order. Reports with distinct
/// dates therefore give the same list, in whatever order they arrive.
pub fn merge<T>(
    known: Vec<Reported<T>>,
    date_reported: DateTime<Utc>,
    arrived: Vec<T>,
    key: impl Fn(&T) -> ResultKey,
) -> Vec<Reported<T>> {
    let dates: HashMap<_, _> = known
        .iter()
        .map(|known| (key(&known.value), known.date_reported))
        .collect();
    let mut seen = HashSet::new();
    let mut newer = Vec::new();
    for value in arrived.into_iter().rev() {
        let key = key(&value);
        let is_older = dates.get(&key).is_some_and(|known| *known > date_reported);
        if !is_older && seen.insert(key) {
            newer.push(Reported { date_reported, value });
        }
    }
    let mut merged: Vec<_> = known
        .into_iter()
        .filter(|known| !seen.contains(&key(&known.value)))
        .collect();
    merged.extend(newer.into_iter().rev());
    merged.sort_by_key(|reported| reported.date_reported);
    merged
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chrono::{DateTime, Utc};
    use proptest::prelude::*;

    use super::{Reported, ResultKey, merge};

    type Value = (u8, u32);
    /// Dates and values.
    type Reports = Vec<(u32, Vec<Value>)>;

    fn at(seconds: u32) -> DateTime<Utc> {
        DateTime::from_timestamp(i64::from(seconds), 0).expect("a time")
    }

    fn key((name, _): &Value) -> ResultKey {
        ResultKey::new(None, None, &name.to_string())
    }

    fn merged(reports: &[(u32, Vec<Value>)]) -> Vec<Reported<Value>> {
        reports.iter().fold(Vec::new(), |known, (date, values)| {
            merge(known, at(*date), values.clone(), key)
        })
    }

    #[test]
    fn keys_are_the_code_else_the_slug_else_the_name() {
        let of = |loinc, slug| ResultKey::new(loinc, slug, "Glucose");
        assert_eq!(
            of(Some("2345-7"), Some("glucose")),
            ResultKey::Loinc("2345-7".to_owned())
        );
        assert_eq!(of(Some(" "), Some("glucose")), ResultKey::Slug("glucose".to_owned()));
        assert_eq!(of(None, None), ResultKey::Name("Glucose".to_owned()));
        assert_eq!(format!("{:?}", of(None, None)), "Name(..)");
    }

    #[test]
    fn a_correction_replaces_its_result_alone() {
        let found = merged(&[
            (2, vec![(1, 10), (2, 20)]),
            (1, vec![(1, 0), (3, 30)]),
            (2, vec![(2, 21)]),
        ]);
        let values: Vec<_> = found.iter().map(|reported| reported.value).collect();
        assert_eq!(values, [(3, 30), (1, 10), (2, 21)]);
    }

    fn reports() -> impl Strategy<Value = (Reports, Reports)> {
        let report = proptest::collection::vec((0..5_u8, any::<u32>()), 0..6);
        let reports = proptest::collection::btree_map(0..20_u32, report, 0..6);
        reports.prop_flat_map(|reports| {
            let reports: Vec<_> = reports.into_iter().collect();
            (Just(reports.clone()), Just(reports).prop_shuffle())
        })
    }

    proptest! {
        #[test]
        fn the_order_of_arrival_does_not_matter_and_repeats_change_nothing((sorted, shuffled) in reports()) {
            let expected = merged(&sorted);
            prop_assert_eq!(&merged(&shuffled), &expected);
            let repeated = [shuffled.clone(), sorted.clone(), shuffled].concat();
            prop_assert_eq!(&merged(&repeated), &expected);
            let mut model = BTreeMap::new();
            for (date, values) in sorted {
                for value in values {
                    model.insert(value.0, (at(date), value));
                }
            }
            let found: BTreeMap<_, _> =
                expected.iter().map(|reported| (reported.value.0, (reported.date_reported, reported.value))).collect();
            prop_assert_eq!(found.len(), expected.len());
            prop_assert_eq!(found, model);
        }
    }
}
