//! Cuts chunks of bytes into JSON texts, for bodies with a value a line, or a sequence of them.

use bytes::{Buf, Bytes, BytesMut};
use serde::de::IgnoredAny;

/// The byte before each text of `application/json-seq` (RFC 7464), which JSON does not contain.
pub const RECORD_SEPARATOR: u8 = 0x1e;

/// Chunks of a body, which are given back as lines. A line ends with a line feed; blank lines are left out.
#[derive(Debug, Default)]
pub struct LineBuffer {
    chunks: BytesMut,
    /// The number of bytes that were searched for the end of a text.
    searched: usize,
    /// The number of bytes that were no whole text when they were last parsed.
    parsed: usize,
    /// True if texts begin with a record separator, and may have several lines.
    is_sequence: bool,
}

impl LineBuffer {
    /// A buffer of `application/json-seq`, which gives back its texts.
    pub fn sequence() -> Self {
        Self {
            is_sequence: true,
            ..Self::default()
        }
    }

    /// Adds a chunk.
    pub fn push(&mut self, chunk: &[u8]) {
        self.chunks.extend_from_slice(chunk);
    }

    /// Returns the number of bytes without the end of their line.
    pub fn pending(&self) -> usize {
        self.chunks.len()
    }

    /// The next whole line, without its end.
    pub fn next_line(&mut self) -> Option<Bytes> {
        let end = if self.is_sequence { RECORD_SEPARATOR } else { b'\n' };
        loop {
            let rest = self.chunks.get(self.searched..).unwrap_or_default();
            let Some(found) = rest.iter().position(|byte| *byte == end) else {
                self.searched = self.chunks.len();
                return self.whole_text();
            };
            let line = self.chunks.split_to(self.searched + found).freeze();
            self.chunks.advance(1);
            (self.searched, self.parsed) = (0, 0);
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }

    /// The last line, which may have no end.
    pub fn last_line(&mut self) -> Option<Bytes> {
        (self.searched, self.parsed) = (0, 0);
        let line = self.chunks.split().freeze();
        (!line.trim_ascii().is_empty()).then_some(line)
    }

    /// The text of a sequence that ends with the received bytes: the next separator may come much later. A text that is
    /// not whole is parsed again once it has grown by an eighth, so that small chunks do not cost more than their length.
    fn whole_text(&mut self) -> Option<Bytes> {
        let length = self.chunks.len();
        let may_be_whole = self.is_sequence && self.chunks.ends_with(b"\n") && length >= self.parsed + self.parsed / 8;
        if !may_be_whole {
            return None;
        }
        if serde_json::from_slice::<IgnoredAny>(&self.chunks).is_err() {
            self.parsed = length;
            return None;
        }
        self.last_line()
    }
}

#[cfg(test)]
mod tests {
    use super::LineBuffer;

    fn check(new: impl Fn() -> LineBuffer, text: &[u8], expected: &[&str]) {
        for size in 1..=text.len() {
            let (mut buffer, mut lines) = (new(), Vec::new());
            for chunk in text.chunks(size) {
                buffer.push(chunk);
                while let Some(line) = buffer.next_line() {
                    lines.push(line);
                }
            }
            lines.extend(buffer.last_line());
            let expected: Vec<_> = expected.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(lines, expected, "chunks of {size} bytes");
            assert_eq!(buffer.pending(), 0);
        }
    }

    #[test]
    fn chunks_may_end_anywhere() {
        check(LineBuffer::default, b"{}\n\n [1]\r\n\"a\"", &["{}", " [1]\r", "\"a\""]);
    }

    #[test]
    fn a_text_of_a_sequence_may_have_several_lines() {
        let text = b"\x1e{}\n\x1e\x1e[1,\n\n2]\n\x1e{\"cut\x1e\"a\"";
        check(LineBuffer::sequence, text, &["{}\n", "[1,\n\n2]\n", "{\"cut", "\"a\""]);
    }

    #[test]
    fn a_text_of_a_sequence_is_whole_before_the_next_one() {
        let mut buffer = LineBuffer::sequence();
        buffer.push(b"\x1e[1,\n");
        assert_eq!(buffer.next_line(), None);
        buffer.push(b"2]\n");
        assert_eq!(buffer.next_line().as_deref(), Some(&b"[1,\n2]\n"[..]));
    }
}
