//! JSON pointers, and the spans of their values.

use std::borrow::Cow;
use std::ops::Range;

/// The spans of a value and of its key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Location {
    pub(crate) key: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
}

/// Appends one step to a JSON pointer.
pub(crate) fn join(pointer: &str, key: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + 1 + key.len());
    joined.push_str(pointer);
    joined.push('/');
    joined.push_str(&step(key));
    joined
}

/// A key as one step of a JSON pointer.
pub(super) fn step(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

/// The key of one step of a JSON pointer.
pub(crate) fn key_of(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// The name of the schema that a reference leads to, if it is one of the components.
pub(crate) fn schema_name(target: &str) -> Option<&str> {
    target.strip_prefix("#/components/schemas/")
}

/// A pointer and its ancestors.
pub(super) fn upwards(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |part| part.rsplit_once('/').map(|(above, _)| above))
}

/// A sort key of a pointer, by which the items of a list follow their numbers.
pub(crate) fn order(pointer: &str) -> Vec<(usize, String)> {
    let step = |step: &str| (step.parse().unwrap_or(usize::MAX), step.to_owned());
    pointer.split('/').map(step).collect()
}
