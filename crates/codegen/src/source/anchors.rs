//! Anchors of YAML: values that aliases copy, each copy at the alias in the author's text.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// Maximum number of values that the aliases of one file may copy together: a short text can copy billions.
pub(super) const MAX_COPIED_VALUES: usize = 500_000;

/// The anchors of a file so far.
#[derive(Default)]
pub(super) struct Anchors {
    pub(super) anchored: HashMap<usize, Anchored>,
    /// The pointer of each copy, and that of the anchor whose value it is.
    pub(super) copies: HashMap<String, String>,
    /// The members that came from merge keys, which the object's own replace.
    pub(super) merged: HashSet<String>,
    pub(super) copied: usize,
}

/// Value of an anchor, with its size.
pub(super) struct Anchored {
    pub(super) value: Value,
    pub(super) pointer: String,
    pub(super) values: usize,
    pub(super) depth: usize,
}

impl Anchors {
    /// Records the value of an anchor.
    pub(super) fn define(&mut self, id: usize, value: &Value, pointer: &str) {
        let (values, depth) = size(value);
        self.copied += values;
        if self.copied > MAX_COPIED_VALUES {
            return;
        }
        let anchored = Anchored {
            value: value.clone(),
            pointer: pointer.to_owned(),
            values,
            depth,
        };
        self.anchored.insert(id, anchored);
    }

    /// Returns whether a member came from a merge key, and is now replaced by one of the object's own.
    pub(super) fn replace(&mut self, pointer: &str) -> bool {
        let merged = self.merged.remove(pointer);
        if merged {
            self.copies.remove(pointer);
        }
        merged
    }
}

/// The number of values in an anchor, and their depth.
fn size(value: &Value) -> (usize, usize) {
    let add = |(values, depth): (usize, usize), below: &Value| {
        let (more, deeper) = size(below);
        (values + more, depth.max(deeper))
    };
    let (values, depth) = match value {
        Value::Array(items) => items.iter().fold((0, 0), add),
        Value::Object(members) => members.values().fold((0, 0), add),
        _ => (0, 0),
    };
    (values + 1, depth + 1)
}
