//! Bodies of several parts.

use serde::Serialize;
use wearlab_models::multipart::{Field, parts};

use super::When;
use super::must::{Must, Place};
use super::part_texts::texts;

/// A body of the parts of a value, in any order. Files are compared with their names and media types.
pub(crate) fn in_parts<O, T: Serialize>(mut when: When<O>, value: &T, fields: &[Field]) -> When<O> {
    // What cannot be sent fits nothing.
    let wanted = parts(value, fields).ok().and_then(texts);
    when.must.push(Must {
        place: Place::Parts,
        name: "body",
        wanted: None,
        default: Vec::new(),
        fits: Box::new(move |found| wanted.as_deref() == Some(found)),
    });
    when
}
