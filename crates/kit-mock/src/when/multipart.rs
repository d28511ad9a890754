//! Bodies of several parts.

use serde::Serialize;
use wearlab_kit_types::multipart::{Field, parts};

use super::Conditional;
use super::must::{Must, Place};
use super::part_texts::texts;

/// A body of the parts of a value, in any order. Files are compared with their names and media types.
pub fn in_parts<W: Conditional, T: Serialize>(mut when: W, value: &T, fields: &[Field]) -> W {
    // A value that cannot be sent matches nothing.
    let wanted = parts(value, fields).ok().and_then(texts);
    when.conditions().push(Must {
        place: Place::Parts,
        name: "body",
        wanted: None,
        default: Vec::new(),
        fits: Box::new(move |found| wanted.as_deref() == Some(found)),
    });
    when
}
