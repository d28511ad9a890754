//! Deprecation of any part.

use super::change::Place;
use super::{Change, Impact, Kind};
use crate::document::Docs;

/// `subject` is the part in words: `it`, `the field x`.
pub(super) fn compare(place: &Place, subject: &str, old: &Docs, new: &Docs) -> Option<Change> {
    match (&old.deprecated, &new.deprecated) {
        // Users get a warning, and the same result; semantic versioning counts it among what is added.
        (None, Some(deprecation)) => {
            let what = format!("{subject} is deprecated: {}", deprecation.advice.trim());
            Some(
                place
                    .change(Kind::Deprecated, what)
                    .impacts(Impact::Additive, Impact::None),
            )
        }
        (Some(_), None) => Some(place.change(Kind::DeprecationChanged, format!("{subject} is deprecated no longer"))),
        (Some(old), Some(new)) if (&old.date, &old.advice) != (&new.date, &new.advice) => {
            let what = format!("the deprecation of {subject} has another date or advice");
            Some(place.change(Kind::DeprecationChanged, what))
        }
        _ => None,
    }
}
