//! The files of a document, in one space of offsets: each file begins where the one before it ends.

use std::borrow::Cow;
use std::ops::Range;

/// The files that were read, the root first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files<'a>(Vec<File<'a>>);

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File<'a> {
    /// Name in messages.
    pub(crate) name: String,
    pub(crate) text: Cow<'a, str>,
    /// The offset of its first byte.
    pub(crate) base: usize,
}

impl<'a> Files<'a> {
    /// Adds a file; returns its number.
    pub(crate) fn add(&mut self, name: &str, text: Cow<'a, str>) -> usize {
        // A byte apart, so that the end of a file is not the beginning of the next one.
        let base = self.0.last().map_or(0, |last| last.base + last.text.len() + 1);
        self.0.push(File {
            name: name.to_owned(),
            text,
            base,
        });
        self.0.len() - 1
    }

    pub(crate) fn list(&self) -> &[File<'a>] {
        &self.0
    }

    /// The number of the file that has an offset.
    pub(crate) fn number(&self, offset: usize) -> usize {
        self.0.partition_point(|file| file.base <= offset).max(1) - 1
    }

    /// The same files, with texts of their own.
    pub(crate) fn to_static(&self) -> Files<'static> {
        let list = self.0.iter().map(|file| File {
            name: file.name.clone(),
            text: Cow::Owned(file.text.clone().into_owned()),
            base: file.base,
        });
        Files(list.collect())
    }

    /// The text of a span.
    pub(crate) fn text(&self, span: &Range<usize>) -> &str {
        let file = &self.0[self.number(span.start)];
        &file.text[span.start - file.base..span.end - file.base]
    }
}
