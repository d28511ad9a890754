//! Cuts chunks of bytes into lines, for bodies with a JSON value a line.

use bytes::{Buf, Bytes, BytesMut};

/// Chunks of a body, which are given back as lines. A line ends with a line feed; blank lines are left out.
#[derive(Debug, Default)]
pub struct LineBuffer {
    chunks: BytesMut,
    /// The number of bytes that were searched for a line feed.
    searched: usize,
}

impl LineBuffer {
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
        loop {
            let rest = self.chunks.get(self.searched..).unwrap_or_default();
            let Some(found) = rest.iter().position(|byte| *byte == b'\n') else {
                self.searched = self.chunks.len();
                return None;
            };
            let line = self.chunks.split_to(self.searched + found).freeze();
            self.chunks.advance(1);
            self.searched = 0;
            if !line.trim_ascii().is_empty() {
                return Some(line);
            }
        }
    }

    /// The last line, which may have no end.
    pub fn last_line(&mut self) -> Option<Bytes> {
        self.searched = 0;
        let line = self.chunks.split().freeze();
        (!line.trim_ascii().is_empty()).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::LineBuffer;

    #[test]
    fn chunks_may_end_anywhere() {
        let text = b"{}\n\n [1]\r\n\"a\"";
        for size in 1..=text.len() {
            let (mut buffer, mut lines) = (LineBuffer::default(), Vec::new());
            for chunk in text.chunks(size) {
                buffer.push(chunk);
                while let Some(line) = buffer.next_line() {
                    lines.push(line);
                }
            }
            lines.extend(buffer.last_line());
            assert_eq!(lines, [&b"{}"[..], b" [1]\r", b"\"a\""], "chunks of {size} bytes");
            assert_eq!(buffer.pending(), 0);
        }
    }
}
