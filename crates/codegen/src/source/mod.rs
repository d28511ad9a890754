//! Pass 1: the text of all files as one JSON value, with the location of each part.

mod aliases;
mod anchors;
mod depth;
mod json;
mod link;
mod location;
mod parts;
mod plain;
mod report;
mod scalar;
mod target;
mod walk;
mod yaml;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::files::Files;
use crate::{Input, Profile};

pub(crate) use location::{Location, join};
pub(crate) use parts::{METHODS, Part};
pub(crate) use report::Report;
pub(crate) use walk::walk;

use location::upwards;
use yaml::Loaded;

/// A parsed document: its root, with what it refers to in other files moved into it.
pub(crate) struct Source<'a> {
    pub(crate) value: Value,
    files: Files<'a>,
    /// The locations of the values of each file.
    locations: Vec<HashMap<String, Location>>,
    /// The copies that aliases made in each file.
    copies: Vec<HashMap<String, String>>,
    /// Where a part stands that was moved: in which file, and its pointer there.
    origins: HashMap<String, Origin>,
    /// What the tolerant profile read in one of several ways.
    notes: Vec<Diagnostic>,
    profile: Profile,
    /// What variables of the environment begin with.
    pub(crate) prefix: String,
}

/// The place of a part in its file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub(crate) file: usize,
    pub(crate) pointer: String,
}

impl<'a> Source<'a> {
    /// Parses YAML 1.2, of which JSON is a subset, and the files that the root refers to.
    pub(crate) fn parse(input: &Input<'a>) -> Result<Self, Diagnostics> {
        let mut source = Self {
            value: Value::Null,
            files: Files::default(),
            locations: Vec::new(),
            copies: Vec::new(),
            origins: HashMap::new(),
            notes: Vec::new(),
            profile: input.profile,
            prefix: input.prefix.to_owned(),
        };
        match source.read(input.file, Cow::Borrowed(input.text)) {
            Ok(value) => source.value = value,
            Err(mistakes) => return Err(Diagnostics::new(&source.files, mistakes)),
        }
        link::link(&mut source, input)?;
        Ok(source)
    }

    /// Parses one more file.
    fn read(&mut self, name: &str, text: Cow<'a, str>) -> Result<Value, Vec<Diagnostic>> {
        let number = self.files.add(name, text);
        let file = &self.files.list()[number];
        let loaded = match json::load(&file.text, file.base) {
            Some((value, locations)) => Ok(Loaded {
                value,
                locations,
                copies: HashMap::new(),
                notes: Vec::new(),
            }),
            None => yaml::load(&file.text, file.base, self.profile),
        };
        // A file with mistakes has a number, too.
        let (locations, copies, value) = match loaded {
            Ok(loaded) => {
                self.notes.extend(loaded.notes);
                (loaded.locations, loaded.copies, Ok(loaded.value))
            }
            Err(mistakes) => (HashMap::new(), HashMap::new(), Err(mistakes)),
        };
        self.locations.push(locations);
        self.copies.push(copies);
        value
    }

    /// Takes the notes of the tolerant profile about the text.
    pub(crate) fn take_notes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.notes)
    }

    pub(crate) fn files(&self) -> &Files<'a> {
        &self.files
    }

    /// Where the part at a pointer of the document stands in its file.
    pub(crate) fn origin(&self, pointer: &str) -> Origin {
        // What refers to another file is shown in the root: the key of a path or component.
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

    /// The part of which an alias made the one at this pointer a copy.
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
