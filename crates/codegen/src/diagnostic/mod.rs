//! Diagnostics of a document: a code, a location, a message and a way to fix the mistake.

mod code;
mod slugs;

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::excerpt::{Excerpt, Index};

pub use code::Code;

/// One mistake in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of the mistake.
    pub code: Code,
    /// Byte range of the offending text.
    pub span: Range<usize>,
    /// The message, in one line.
    pub message: String,
    /// How to fix it.
    pub help: String,
    /// Other locations that explain the mistake, each with a label.
    pub related: Vec<(Range<usize>, String)>,
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
        }
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
    file: String,
    text: String,
    index: Index,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// The mistakes in `text`, which was read from `file`.
    pub fn new(file: &str, text: &str, mut list: Vec<Diagnostic>) -> Self {
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
            file: file.to_owned(),
            text: text.to_owned(),
            index: Index::new(text),
            list: seen,
        }
    }

    /// The mistakes, in the document's order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Line and column, both from 1, of a byte offset of the document.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        self.index.line_column(&self.text, offset)
    }

    fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut groups = Vec::new();
        let mut group: Group<'_> = Level::ERROR
            .primary_title(&diagnostic.message)
            .id(diagnostic.code.as_str())
            .elements([] as [Origin<'_>; 0]);
        let related = diagnostic.related.iter().map(|(span, label)| (span, Some(label)));
        let mut locations = std::iter::once((&diagnostic.span, None)).chain(related).peekable();
        while let Some(location) = locations.next() {
            let mut excerpt = Excerpt::new(&self.text, location.0);
            let mut shown = vec![location];
            while let Some((location, joined)) = locations
                .peek()
                .and_then(|location| Some((*location, excerpt.join(&self.text, location.0)?)))
            {
                locations.next();
                shown.push(location);
                excerpt = joined;
            }
            let annotations = shown.into_iter().map(|(span, label)| {
                let kind = if label.is_none() {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                kind.span(excerpt.span(span)).label(label.map(String::as_str))
            });
            let (first, cut) = self.line_column(excerpt.range.start);
            let mut snippet = Snippet::source(&self.text[excerpt.range.clone()])
                .line_start(first)
                .annotations(annotations);
            if cut == 1 {
                snippet = snippet.path(&self.file);
            } else {
                let (line, column) = self.line_column(location.0.start);
                groups.push(group.element(Origin::path(&self.file).line(line).char_column(column)));
                group = Group::with_level(Level::ERROR);
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
        let noun = if count == 1 { "error" } else { "errors" };
        write!(f, "{count} {noun} in {}", self.file)
    }
}

impl std::error::Error for Diagnostics {}
