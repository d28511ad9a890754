//! Pass 1: the document's text as a JSON value that remembers where each part stands.

mod plain;
mod yaml;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};

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
    list: Vec<Mistake>,
    /// What is missing only because another key stands in its place.
    replaced: Vec<String>,
}

struct Mistake {
    pointer: String,
    /// Another part that it may only be an echo of.
    cause: Option<String>,
    diagnostic: Diagnostic,
}

impl<'s> Report<'s> {
    pub(crate) fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            list: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// A report on the same document, for what is looked at a second time: its mistakes are known already.
    pub(crate) fn unheard(&self) -> Self {
        Self::new(self.source)
    }

    /// Reports a mistake at the key of `pointer`.
    pub(crate) fn error(&mut self, code: Code, pointer: &str, message: impl Into<String>, help: impl Into<String>) {
        self.add(pointer, Diagnostic::new(code, self.source.span(pointer), message, help));
    }

    /// Reports a mistake in the value of `pointer`.
    pub(crate) fn value_error(
        &mut self,
        code: Code,
        pointer: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(
            pointer,
            Diagnostic::new(code, self.source.value_span(pointer), message, help),
        );
    }

    /// Reports a mistake at `pointer` that another place explains.
    pub(crate) fn error_with(
        &mut self,
        code: Code,
        pointer: &str,
        message: impl Into<String>,
        help: impl Into<String>,
        other: (&str, &str),
    ) {
        let diagnostic = Diagnostic::new(code, self.source.span(pointer), message, help);
        self.add(pointer, diagnostic.related(self.source.span(other.0), other.1));
    }

    fn add(&mut self, pointer: &str, diagnostic: Diagnostic) {
        self.list.push(Mistake {
            pointer: pointer.to_owned(),
            cause: None,
            diagnostic,
        });
    }

    /// Takes back the latest mistake if another part of the document turns out to be refused: a section as a whole, or
    /// anything in one of its members.
    pub(crate) fn unless_refused(&mut self, part: &str) {
        if let Some(latest) = self.list.last_mut() {
            latest.cause = Some(part.to_owned());
        }
    }

    /// Notes that the key of `pointer` is missing because another one, which is refused, stands in its place.
    pub(crate) fn replaced(&mut self, pointer: String) {
        self.replaced.push(pointer);
    }

    /// Adds the mistakes of a later pass, but for those in what an earlier pass found wrong, or closely around it: they
    /// may only be its echoes.
    pub(crate) fn add_unrelated(&mut self, later: Self) {
        let reported = self.list.iter().map(|mistake| &mistake.pointer);
        let earlier: HashSet<_> = reported.chain(&self.replaced).cloned().collect();
        let around: HashSet<_> = earlier.iter().flat_map(|known| upwards(known).take(3)).collect();
        let echoes = |pointer: &str| around.contains(pointer) || upwards(pointer).any(|part| earlier.contains(part));
        let later = later.list.into_iter().filter(|mistake| !echoes(&mistake.pointer));
        self.list.extend(later);
    }

    pub(crate) fn finish(self) -> Result<(), Diagnostics> {
        let causes = self.list.iter().filter(|mistake| mistake.cause.is_none());
        let refused = causes.map(|mistake| &mistake.pointer).chain(&self.replaced);
        let refused: HashSet<_> = refused.cloned().collect();
        let around: HashSet<_> = refused.iter().flat_map(|known| upwards(known)).collect();
        let is_refused = |part: &String| {
            let is_member = part.matches('/').count() >= 3;
            is_member && around.contains(part.as_str()) || upwards(part).any(|part| refused.contains(part))
        };
        let list: Vec<_> = self
            .list
            .into_iter()
            .filter(|mistake| !mistake.cause.as_ref().is_some_and(is_refused))
            .map(|mistake| mistake.diagnostic)
            .collect();
        if list.is_empty() {
            return Ok(());
        }
        Err(Diagnostics::new(self.source.file, self.source.text, list))
    }
}

/// A place, and all that it is a part of.
fn upwards(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |part| part.rsplit_once('/').map(|(above, _)| above))
}

/// Appends one step to a JSON pointer.
pub(crate) fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
