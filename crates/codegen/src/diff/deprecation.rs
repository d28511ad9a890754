//! Deprecation of any part.

use super::change::Element;
use super::{Change, Impact, Kind};
use crate::document::Docs;

/// Compares the deprecation of a part. `subject` names it: `it`, `the field x`.
pub(super) fn compare(element: &Element, subject: &str, old: &Docs, new: &Docs) -> Option<Change> {
    match (&old.deprecated, &new.deprecated) {
        // Users get a warning and the same result; semantic versioning counts it as an addition.
        (None, Some(deprecation)) => {
            let what = format!("{subject} is deprecated: {}", deprecation.advice.trim());
            Some(
                element
                    .change(Kind::Deprecated, what)
                    .impacts(Impact::Additive, Impact::None),
            )
        }
        (Some(_), None) => Some(element.change(Kind::DeprecationChanged, format!("{subject} is no longer deprecated"))),
        (Some(old), Some(new)) if (&old.date, &old.advice) != (&new.date, &new.advice) => {
            let what = format!("the deprecation of {subject} has another date or advice");
            Some(element.change(Kind::DeprecationChanged, what))
        }
        _ => None,
    }
}
