//! Pass 1: the text of all files as one JSON value, with the location of each part.

mod aliases;
mod anchors;
mod depth;
mod file_tag;
mod json;
mod link;
mod location;
mod origin;
mod overlay;
mod parse;
mod parts;
mod place;
mod plain;
mod remove;
mod report;
mod scalar;
mod target;
mod walk;
mod yaml;

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use crate::Profile;
use crate::diagnostic::{Code, Diagnostic};
use crate::files::Files;

pub(crate) use location::{Location, join, key_of, order, schema_name};
pub(crate) use origin::Origin;
pub(crate) use parts::{METHODS, Part, SWAGGER_SECTIONS};
pub(crate) use place::place;
pub(crate) use report::Report;
pub(crate) use target::{decoded, target};
pub(crate) use walk::{walk, walk_at};

use location::upwards;

/// A parsed document: its root, with the parts of other files moved into it.
pub(crate) struct Source<'a> {
    pub(crate) value: Value,
    files: Files<'a>,
    /// The locations of the values of each file.
    locations: Vec<HashMap<String, Location>>,
    /// The copies of aliases in each file.
    copies: Vec<HashMap<String, String>>,
    /// Origins of parts that were moved: the file, and the pointer there.
    origins: HashMap<String, Origin>,
    /// Notes on parts that the tolerant profile read in one of several ways.
    notes: Vec<Diagnostic>,
    /// Mistakes of readable files.
    mistakes: Vec<Diagnostic>,
    profile: Profile,
    /// Prefix of variables of the environment.
    pub(crate) prefix: String,
}

impl<'a> Source<'a> {
    /// Takes the notes of the tolerant profile about the text.
    pub(crate) fn take_notes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.notes)
    }

    /// Notes a part that the tolerant profile changed.
    pub(crate) fn note(&mut self, code: Code, pointer: &str, message: impl Into<String>, consequence: &str) {
        let span = self.span(pointer);
        let part = place(&self.value, pointer);
        self.notes
            .push(Diagnostic::new(code, span, message, consequence).of_part(part));
    }

    pub(crate) fn files(&self) -> &Files<'a> {
        &self.files
    }

    /// Returns the location in its file of the part at a pointer of the document.
    pub(crate) fn origin(&self, pointer: &str) -> Origin {
        // A reference to another file is shown in the root: the key of a path or component.
        let refers =
            |part: &str, origin: &Origin| part == pointer && origin.file > 0 && self.locations[0].contains_key(pointer);
        let moved = upwards(pointer)
            .filter_map(|part| Some((part, self.origins.get(part)?)))
            .find(|(part, origin)| !refers(part, origin));
        match moved {
            Some((part, origin)) => Origin {
                file: origin.file,
                pointer: format!("{}{}", origin.pointer, &pointer[part.len()..]),
            },
            None => Origin {
                file: 0,
                pointer: pointer.to_owned(),
            },
        }
    }

    /// Records that a part of the document was moved.
    pub(crate) fn moved(&mut self, pointer: String, origin: Origin) {
        self.origins.insert(pointer, origin);
    }

    /// The span to show for a JSON pointer: its key if it has one, else the first line of its value.
    pub(crate) fn span(&self, pointer: &str) -> Range<usize> {
        self.span_of(&self.origin(pointer))
    }

    /// The span to show for a part of a file.
    fn span_of(&self, origin: &Origin) -> Range<usize> {
        // For something absent, show the nearest ancestor.
        let locations = &self.locations[origin.file];
        let base = self.files.list()[origin.file].base;
        let location = upwards(&origin.pointer).find_map(|part| locations.get(part));
        location.map_or(base..base, |location| {
            location.key.clone().unwrap_or_else(|| self.first_line(&location.value))
        })
    }

    /// The span of the value at a JSON pointer, up to the end of its first line.
    pub(crate) fn value_span(&self, pointer: &str) -> Range<usize> {
        self.value_span_of(&self.origin(pointer))
    }

    fn value_span_of(&self, origin: &Origin) -> Range<usize> {
        match self.locations[origin.file].get(&origin.pointer) {
            Some(location) => self.first_line(&location.value),
            None => self.span_of(origin),
        }
    }

    /// The anchor's part that an alias copied to this pointer.
    pub(crate) fn copied_from(&self, pointer: &str) -> Option<Origin> {
        let Origin { file, pointer } = self.origin(pointer);
        let (part, anchor) = upwards(&pointer).find_map(|part| Some((part, self.copies[file].get(part)?)))?;
        Some(Origin {
            file,
            pointer: format!("{anchor}{}", &pointer[part.len()..]),
        })
    }

    fn first_line(&self, span: &Range<usize>) -> Range<usize> {
        let text = self.files.text(span);
        let line = text.lines().next().unwrap_or("").trim_end();
        span.start..span.start + line.len()
    }
}
