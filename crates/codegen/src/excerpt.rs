//! The source lines around a span, found in time independent of the document's length: there may be thousands of spans.

use std::ops::Range;

/// Bytes between two offsets with computed columns.
const STEP: usize = 256;

/// The longest part of a line that is shown before a span, of it, and after it.
const AROUND: usize = 120;

/// The longest excerpt.
const MAX_BYTES: usize = 4096;

/// Lines and columns of a text, from 1, at the start of each line and at regular offsets in long ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Index(Vec<Mark>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    offset: usize,
    line: usize,
    column: usize,
}

impl Index {
    pub(crate) fn new(text: &str) -> Self {
        let mut next = Mark {
            offset: 0,
            line: 1,
            column: 1,
        };
        let mut marks = vec![next];
        let mut last = 0;
        for (offset, character) in text.char_indices() {
            next.offset = offset + character.len_utf8();
            next.column += 1;
            if character == '\n' {
                (next.line, next.column) = (next.line + 1, 1);
            }
            if character == '\n' || next.offset - last >= STEP {
                marks.push(next);
                last = next.offset;
            }
        }
        Self(marks)
    }

    /// Line and column of a byte offset.
    pub(crate) fn line_column(&self, text: &str, offset: usize) -> (usize, usize) {
        let offset = text.floor_char_boundary(offset);
        let mark = self.0[self.0.partition_point(|mark| mark.offset <= offset) - 1];
        (mark.line, mark.column + text[mark.offset..offset].chars().count())
    }
}

/// The part of a text that is shown: whole lines, or parts of long ones.
pub(crate) struct Excerpt {
    pub(crate) range: Range<usize>,
}

impl Excerpt {
    /// The excerpt around a span.
    pub(crate) fn new(text: &str, span: &Range<usize>) -> Self {
        let (left, right) = (
            text.ceil_char_boundary(span.start.saturating_sub(AROUND)),
            text.floor_char_boundary(span.end.min(span.start + AROUND) + AROUND),
        );
        let start = text[left..span.start].rfind('\n').map_or(left, |at| left + at + 1);
        let end = text[span.start..right].find('\n').map_or(right, |at| span.start + at);
        let line = &text[start..end];
        Self {
            range: start..start + line.strip_suffix('\r').unwrap_or(line).len(),
        }
    }

    /// An excerpt that also shows another span, if it is near.
    pub(crate) fn join(&self, text: &str, span: &Range<usize>) -> Option<Self> {
        let other = Self::new(text, span);
        let range = self.range.start.min(other.range.start)..self.range.end.max(other.range.end);
        (range.len() <= MAX_BYTES).then_some(Self { range })
    }

    /// The visible part of a span, relative to the start of the excerpt.
    pub(crate) fn span(&self, span: &Range<usize>) -> Range<usize> {
        let within = |offset: usize| offset.clamp(self.range.start, self.range.end) - self.range.start;
        within(span.start)..within(span.end)
    }
}
