//! What the generator says when a document cannot be carried: located, explained, with a way out.

mod code;

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

pub use code::Code;

/// One mistake in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of mistake it is.
    pub code: Code,
    /// Byte range of the offending text.
    pub span: Range<usize>,
    /// What is wrong, in one line.
    pub message: String,
    /// How to mend it.
    pub help: String,
    /// Other places that explain the mistake, each with a label.
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

    /// Adds another place that explains the mistake.
    pub fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}

/// All mistakes of one document, in the document's order. `Display` prints them with the lines they are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    text: String,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// The mistakes in `text`, which was read from `file`.
    pub fn new(file: &str, text: &str, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|d| (d.span.start, d.span.end));
        let mut seen: Vec<Diagnostic> = Vec::new();
        for diagnostic in list {
            // What several places refer to is looked at several times.
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
            list: seen,
        }
    }

    /// The mistakes, first in the document first.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Line and column, both from 1, of a byte offset of the document.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..offset.min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// `lines` are the offsets that the lines of the document begin at.
    fn render(&self, diagnostic: &Diagnostic, lines: &[usize]) -> String {
        let related = diagnostic.related.iter().map(|(span, _)| span);
        let spans = || std::iter::once(&diagnostic.span).chain(related.clone());
        let line_of = |offset: usize| lines.partition_point(|start| *start <= offset).saturating_sub(1);
        // Only the lines that are shown: the whole text would be searched again for each of many mistakes.
        let first = spans().map(|span| line_of(span.start)).min().unwrap_or_default();
        let last = spans().map(|span| line_of(span.end)).max().unwrap_or_default();
        let from = lines.get(first).copied().unwrap_or_default();
        let to = lines.get(last + 1).copied().unwrap_or(self.text.len());
        let moved = |span: &Range<usize>| span.start - from..span.end - from;
        let snippet = Snippet::source(&self.text[from..to])
            .path(&self.file)
            .line_start(first + 1)
            .annotation(AnnotationKind::Primary.span(moved(&diagnostic.span)))
            .annotations(
                diagnostic
                    .related
                    .iter()
                    .map(|(span, label)| AnnotationKind::Context.span(moved(span)).label(label)),
            );
        let title = Level::ERROR
            .primary_title(&diagnostic.message)
            .id(diagnostic.code.as_str());
        let group: Group<'_> = title.element(snippet).element(Level::HELP.message(&diagnostic.help));
        Renderer::plain().render(&[group])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
        let lines: Vec<_> = std::iter::once(0).chain(breaks).collect();
        for diagnostic in &self.list {
            writeln!(f, "{}\n", self.render(diagnostic, &lines))?;
        }
        let count = self.list.len();
        let noun = if count == 1 { "error" } else { "errors" };
        write!(f, "{count} {noun} in {}", self.file)
    }
}

impl std::error::Error for Diagnostics {}
