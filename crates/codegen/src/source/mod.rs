//! Pass 1: the document's text as a JSON value, with the location of each part.

mod location;
mod plain;
mod report;
mod yaml;

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use crate::diagnostic::Diagnostics;

pub(crate) use location::{Location, join};
pub(crate) use report::Report;

/// A parsed document.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
    pub(crate) value: Value,
    locations: HashMap<String, Location>,
}

impl<'a> Source<'a> {
    /// Parses YAML 1.2, of which JSON is a subset.
    pub(crate) fn parse(file: &'a str, text: &'a str) -> Result<Self, Diagnostics> {
        match yaml::load(text) {
            Ok((value, locations)) => Ok(Self {
                file,
                text,
                value,
                locations,
            }),
            Err(mistakes) => Err(Diagnostics::new(file, text, mistakes)),
        }
    }

    /// The span to show for a JSON pointer: its key if it has one, else the first line of its value.
    pub(crate) fn span(&self, pointer: &str) -> Range<usize> {
        let Some(location) = self.locations.get(pointer) else {
            // A pointer to something absent: show the nearest ancestor.
            return match pointer.rsplit_once('/') {
                Some((parent, _)) => self.span(parent),
                None => 0..0,
            };
        };
        location.key.clone().unwrap_or_else(|| self.first_line(&location.value))
    }

    /// The span of the value at a JSON pointer, up to the end of its first line.
    pub(crate) fn value_span(&self, pointer: &str) -> Range<usize> {
        match self.locations.get(pointer) {
            Some(location) => self.first_line(&location.value),
            None => self.span(pointer),
        }
    }

    fn first_line(&self, span: &Range<usize>) -> Range<usize> {
        let text = &self.text[span.clone()];
        let line = text.lines().next().unwrap_or("").trim_end();
        span.start..span.start + line.len()
    }
}
