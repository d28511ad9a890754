//! Pass 1: the document's text as a JSON value that remembers where each part stands.

mod yaml;

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Diagnostics};

/// Where a value stands, and the key in front of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub(crate) key: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
}

/// A parsed document.
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
    pub(crate) value: Value,
    places: HashMap<String, Place>,
}

impl<'a> Source<'a> {
    /// Parses YAML 1.2, of which JSON is a part.
    pub(crate) fn parse(file: &'a str, text: &'a str) -> Result<Self, Diagnostics> {
        match yaml::load(text) {
            Ok((value, places)) => Ok(Self {
                file,
                text,
                value,
                places,
            }),
            Err(mistakes) => Err(Diagnostics::new(file, text, mistakes)),
        }
    }

    /// The bytes to point at for a JSON pointer: its key where it has one, else the first line of its value.
    pub(crate) fn span(&self, pointer: &str) -> Range<usize> {
        let Some(place) = self.places.get(pointer) else {
            // A pointer to something absent: point at the nearest thing that is there.
            return match pointer.rsplit_once('/') {
                Some((parent, _)) => self.span(parent),
                None => 0..0,
            };
        };
        place.key.clone().unwrap_or_else(|| self.first_line(&place.value))
    }

    /// The bytes of the value at a JSON pointer, up to the end of its first line.
    pub(crate) fn value_span(&self, pointer: &str) -> Range<usize> {
        match self.places.get(pointer) {
            Some(place) => self.first_line(&place.value),
            None => self.span(pointer),
        }
    }

    fn first_line(&self, span: &Range<usize>) -> Range<usize> {
        let text = &self.text[span.clone()];
        let line = text.lines().next().unwrap_or("").trim_end();
        span.start..span.start + line.len()
    }
}

/// Mistakes found so far, located by JSON pointer.
pub(crate) struct Report<'s> {
    source: &'s Source<'s>,
    list: Vec<(String, Diagnostic)>,
}

impl<'s> Report<'s> {
    pub(crate) fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            list: Vec::new(),
        }
    }

    /// Reports a mistake at the key of `pointer`.
    pub(crate) fn error(&mut self, pointer: &str, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = Diagnostic::new(self.source.span(pointer), message).help(help);
        self.list.push((pointer.to_owned(), diagnostic));
    }

    /// Reports a mistake in the value of `pointer`.
    pub(crate) fn value_error(&mut self, pointer: &str, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = Diagnostic::new(self.source.value_span(pointer), message).help(help);
        self.list.push((pointer.to_owned(), diagnostic));
    }

    /// Reports a mistake at `pointer` that another place explains.
    pub(crate) fn error_with(
        &mut self,
        pointer: &str,
        message: impl Into<String>,
        help: impl Into<String>,
        other: (&str, &str),
    ) {
        let related = self.source.span(other.0);
        let diagnostic = Diagnostic::new(self.source.span(pointer), message)
            .help(help)
            .related(related, other.1);
        self.list.push((pointer.to_owned(), diagnostic));
    }

    /// Adds the mistakes of a later pass, but for those in, or around, what an earlier pass found wrong: they may
    /// only be its echoes.
    pub(crate) fn add_unrelated(&mut self, later: Self) {
        let earlier: Vec<_> = self.list.iter().map(|(pointer, _)| pointer.clone()).collect();
        let echoes = |pointer: &str| {
            earlier
                .iter()
                .any(|known| within(known, pointer) || within(pointer, known))
        };
        self.list
            .extend(later.list.into_iter().filter(|(pointer, _)| !echoes(pointer)));
    }

    pub(crate) fn finish(self) -> Result<(), Diagnostics> {
        if self.list.is_empty() {
            return Ok(());
        }
        let list = self.list.into_iter().map(|(_, diagnostic)| diagnostic).collect();
        Err(Diagnostics::new(self.source.file, self.source.text, list))
    }
}

/// Whether the place `inner` is `outer` or a part of it.
fn within(outer: &str, inner: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Appends one step to a JSON pointer.
pub(crate) fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
