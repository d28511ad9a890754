//! Diagnostics of a document: a code, a location, a message and a way to fix the mistake.

mod code;
mod grouped;
mod slugs;

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::excerpt::{Excerpt, Index};
use crate::files::{File, Files};

pub use code::Code;

/// One mistake in the document, or a note about an omitted part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of the mistake.
    pub code: Code,
    /// Byte range of the offending text. Each file begins a byte behind the end of the one before it, the root at 0.
    pub span: Range<usize>,
    /// The message, in one line.
    pub message: String,
    /// The fix.
    pub help: String,
    /// Other locations that explain the mistake, each with a label.
    pub related: Vec<(Range<usize>, String)>,
    /// The part of the document that a note is about, such as `list_pets: limit`. Empty for a mistake.
    pub part: String,
}

impl Diagnostic {
    /// A mistake at `span`.
    pub fn new(code: Code, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            code,
            span,
            message: message.into(),
            help: help.into(),
            related: Vec::new(),
            part: String::new(),
        }
    }

    /// Names the part of the document that it is about.
    pub(crate) fn of_part(self, part: String) -> Self {
        Self { part, ..self }
    }

    /// Adds another location that explains the mistake.
    pub fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}

/// All mistakes of one document, in its order. `Display` prints them with the source lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    files: Files<'static>,
    /// Indexes, one for each file.
    indexes: Vec<Index>,
    list: Vec<Diagnostic>,
    /// True if these are notes rather than errors.
    notes: bool,
}

impl Diagnostics {
    /// The mistakes in `files`.
    pub(crate) fn new(files: &Files<'_>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| (d.span.start, d.span.end));
        let mut seen: Vec<Diagnostic> = Vec::new();
        for diagnostic in list {
            // A component that is used several times is checked several times.
            if !seen
                .iter()
                .rev()
                .take_while(|d| d.span == diagnostic.span)
                .any(|d| *d == diagnostic)
            {
                seen.push(diagnostic);
            }
        }
        Self {
            files: files.to_static(),
            indexes: files.list().iter().map(|file| Index::new(&file.text)).collect(),
            list: seen,
            notes: false,
        }
    }

    /// Notes about omitted parts of a document that is supported otherwise.
    pub(crate) fn notes(files: &Files<'_>, list: Vec<Diagnostic>) -> Self {
        Self {
            notes: true,
            ..Self::new(files, list)
        }
    }

    fn level(&self) -> Level<'static> {
        if self.notes { Level::NOTE } else { Level::ERROR }
    }

    /// The mistakes, in the document's order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Line and column, both from 1, of a byte offset, in the file that has it.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let number = self.files.number(offset);
        let file = &self.files.list()[number];
        self.indexes[number].line_column(&file.text, offset - file.base)
    }

    /// The name of the file that has a byte offset.
    pub fn file(&self, offset: usize) -> &str {
        &self.files.list()[self.files.number(offset)].name
    }

    /// The text of a span, if it is one of a file.
    pub fn text(&self, span: &Range<usize>) -> Option<&str> {
        let file = &self.files.list()[self.files.number(span.start)];
        file.text.get(span.start - file.base..span.end.checked_sub(file.base)?)
    }

    /// The file that has a span, and the span within it.
    fn within(&self, span: &Range<usize>) -> (usize, Range<usize>) {
        let number = self.files.number(span.start);
        let base = self.files.list()[number].base;
        (number, span.start - base..span.end - base)
    }

    fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut groups = Vec::new();
        let mut group: Group<'_> = self
            .level()
            .primary_title(&diagnostic.message)
            .id(diagnostic.code.as_str())
            .elements([] as [Origin<'_>; 0]);
        let related = diagnostic.related.iter().map(|(span, label)| (span, Some(label)));
        let locations = std::iter::once((&diagnostic.span, None)).chain(related);
        let mut locations = locations.map(|(span, label)| (self.within(span), label)).peekable();
        while let Some(((number, span), label)) = locations.next() {
            let File { name, text, base } = &self.files.list()[number];
            let start = span.start;
            let mut excerpt = Excerpt::new(text, &span);
            let mut shown = vec![(span, label)];
            while let Some(((_, span), label)) = locations.next_if(|((other, span), _)| {
                let joined = excerpt.join(text, span).filter(|_| *other == number);
                let near = joined.is_some();
                excerpt = joined.unwrap_or(Excerpt {
                    range: excerpt.range.clone(),
                });
                near
            }) {
                shown.push((span, label));
            }
            let annotations = shown.into_iter().map(|(span, label)| {
                let kind = if label.is_none() {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                kind.span(excerpt.span(&span)).label(label.map(String::as_str))
            });
            let (first, cut) = self.line_column(base + excerpt.range.start);
            let mut snippet = Snippet::source(&text[excerpt.range.clone()])
                .line_start(first)
                .annotations(annotations);
            if cut == 1 {
                snippet = snippet.path(name);
            } else {
                let (line, column) = self.line_column(base + start);
                groups.push(group.element(Origin::path(name).line(line).char_column(column)));
                group = Group::with_level(self.level());
            }
            group = group.element(snippet);
        }
        groups.push(group.element(Level::HELP.message(&diagnostic.help)));
        Renderer::plain().render(&groups)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.list {
            writeln!(f, "{}\n", self.render(diagnostic))?;
        }
        let count = self.list.len();
        let noun = match (self.notes, count) {
            (true, 1) => "note",
            (true, _) => "notes",
            (false, 1) => "error",
            (false, _) => "errors",
        };
        let name = self.files.list().first().map_or("", |file| &file.name);
        write!(f, "{count} {noun} in {name}")
    }
}

impl std::error::Error for Diagnostics {}
