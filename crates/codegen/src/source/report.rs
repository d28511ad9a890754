//! Collects the mistakes of the passes, without consequences of other mistakes.

use std::collections::HashSet;

use serde_json::Value;

use super::Source;
use super::location::upwards;
use super::place::place;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

/// The mistakes found so far, by JSON pointer.
pub(crate) struct Report<'s> {
    source: &'s Source<'s>,
    list: Vec<Mistake>,
    /// Mistakes of the text, of which none follow.
    of_text: Vec<Diagnostic>,
    /// Notes on ignored parts, which are not mistakes.
    notes: Vec<Diagnostic>,
    /// Missing keys that were replaced by another key.
    replaced: Vec<String>,
}

struct Mistake {
    pointer: String,
    /// Another part whose mistake may be the cause of this one.
    cause: Option<String>,
    diagnostic: Diagnostic,
}

impl<'s> Report<'s> {
    pub(crate) fn new(source: &'s Source<'s>) -> Self {
        Self {
            source,
            list: Vec::new(),
            of_text: Vec::new(),
            notes: Vec::new(),
            replaced: Vec::new(),
        }
    }

    /// A report on the same document, for a second reading whose mistakes are already reported.
    pub(crate) fn silent(&self) -> Self {
        Self::new(self.source)
    }

    /// Returns whether unsupported parts of the document are left out.
    pub(crate) fn is_tolerant(&self) -> bool {
        !self.source.profile.is_strict()
    }

    /// The document.
    pub(crate) fn root(&self) -> &'s Value {
        &self.source.value
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

    /// Reports a mistake at `pointer`, with another location that explains it.
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

    /// Notes that the value of `pointer` is ignored.
    pub(crate) fn note(
        &mut self,
        code: Code,
        pointer: &str,
        message: impl Into<String>,
        consequence: impl Into<String>,
    ) {
        let span = self.source.value_span(pointer);
        // A copy that an alias made has the note of its anchor.
        if !self.notes.iter().any(|note| note.code == code && note.span == span) {
            let part = place(&self.source.value, pointer);
            self.notes
                .push(Diagnostic::new(code, span, message, consequence).of_part(part));
        }
    }

    /// Returns the notes.
    pub(crate) fn take_notes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.notes)
    }

    /// Adds the mistakes that were found while the text was parsed.
    pub(crate) fn add_mistakes_of_text(&mut self) {
        self.of_text.extend(self.source.mistakes.iter().cloned());
    }

    fn add(&mut self, pointer: &str, diagnostic: Diagnostic) {
        self.list.push(Mistake {
            pointer: pointer.to_owned(),
            cause: None,
            diagnostic,
        });
    }

    /// Withdraws the latest mistake if another part of the document is rejected: a section as a whole, or a part of
    /// one of its members.
    pub(crate) fn unless_rejected(&mut self, part: &str) {
        if let Some(latest) = self.list.last_mut() {
            latest.cause = Some(part.to_owned());
        }
    }

    /// Records that the key of `pointer` is missing because a rejected one was written instead.
    pub(crate) fn replaced(&mut self, pointer: String) {
        self.replaced.push(pointer);
    }

    /// Adds the mistakes of a later pass, except those in or close around a part that an earlier pass rejected, which
    /// may be consequences.
    pub(crate) fn add_unrelated(&mut self, later: Self) {
        let reported = self.list.iter().map(|mistake| &mistake.pointer);
        let earlier: HashSet<_> = reported.chain(&self.replaced).cloned().collect();
        let around: HashSet<_> = earlier.iter().flat_map(|known| upwards(known).take(3)).collect();
        let echoes = |pointer: &str| around.contains(pointer) || upwards(pointer).any(|part| earlier.contains(part));
        for note in later.notes {
            self.notes.push(note);
        }
        let later = later.list.into_iter().filter(|mistake| !echoes(&mistake.pointer));
        self.list.extend(later);
    }

    pub(crate) fn finish(mut self) -> Result<(), Diagnostics> {
        let source = self.source;
        let mut list = std::mem::take(&mut self.of_text);
        list.extend(self.causes().into_iter().map(|(_, diagnostic)| diagnostic));
        if list.is_empty() {
            return Ok(());
        }
        Err(Diagnostics::new(source.files(), list))
    }

    /// The mistakes without those that only follow from others, each with its pointer.
    pub(crate) fn causes(mut self) -> Vec<(String, Diagnostic)> {
        let causes = self.list.iter().filter(|mistake| mistake.cause.is_none());
        let rejected = causes.map(|mistake| &mistake.pointer).chain(&self.replaced);
        let rejected: HashSet<_> = rejected.cloned().collect();
        let around: HashSet<_> = rejected.iter().flat_map(|known| upwards(known)).collect();
        let is_rejected = |part: &String| {
            let is_member = part.matches('/').count() >= 3;
            is_member && around.contains(part.as_str()) || upwards(part).any(|part| rejected.contains(part))
        };
        let places = self
            .list
            .iter()
            .map(|mistake| (mistake.diagnostic.code, self.source.origin(&mistake.pointer)));
        let places: HashSet<_> = places.collect();
        // A copy that an alias made repeats the mistakes of its anchor.
        let repeats = |mistake: &Mistake| {
            let original = self.source.copied_from(&mistake.pointer);
            original.is_some_and(|original| places.contains(&(mistake.diagnostic.code, original)))
        };
        self.list.retain(|mistake| !repeats(mistake));
        self.list
            .into_iter()
            .filter(|mistake| !mistake.cause.as_ref().is_some_and(is_rejected))
            .map(|mistake| (mistake.pointer, mistake.diagnostic))
            .collect()
    }
}
