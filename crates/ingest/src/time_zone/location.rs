//! Locations of times within an arrival.

use super::value::Place;

/// Location of a time: the number of its value, and its place within that.
pub(super) type Location = (usize, Place);

pub(super) fn first(one: Option<Location>, other: Option<Location>) -> Option<Location> {
    [one, other].into_iter().flatten().min_by_key(|(index, _)| *index)
}

/// Returns the path of a field of a value, within the arrival.
pub(super) fn path(index: usize, field: &str) -> String {
    format!("data[{index}].{field}")
}
