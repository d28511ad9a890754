//! Queue of lines without an acknowledgement.

use std::collections::VecDeque;

use axum::body::Bytes;
use wearlab_intake::LineLocation;

/// Maximum memory of the lines in bytes, apart from those that were read together with the last one.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Approximate bytes of a part of the body.
const PART: usize = 64 * 1024;

/// A line with its location.
pub(super) struct Line {
    pub(super) location: LineLocation,
    /// Text with its line end.
    pub(super) text: Vec<u8>,
    /// Bytes of the inputs up to its end.
    pub(super) read: u64,
}

impl Line {
    /// Returns the approximate memory of a line in bytes. For a short line, it is far more than its text.
    fn memory(&self) -> usize {
        size_of::<Self>() + self.location.input.capacity() + self.text.capacity()
    }
}

/// Lines without an acknowledgement, in order.
#[derive(Default)]
pub(super) struct Pending {
    lines: VecDeque<Line>,
    /// Number of them that were sent on this connection.
    sent: usize,
    /// Their memory in bytes.
    bytes: usize,
    acknowledged: u64,
    /// Number of acknowledgements on this connection.
    acknowledged_here: u64,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes < MAX_BYTES
    }

    pub(super) fn has_unsent(&self) -> bool {
        self.sent < self.lines.len()
    }

    /// Returns the total number of acknowledged lines.
    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    pub(super) fn push(&mut self, line: Line) {
        self.bytes += line.memory();
        self.lines.push_back(line);
    }

    /// Returns the next lines to send.
    pub(super) fn part(&mut self) -> Bytes {
        let mut part = Vec::new();
        for line in self.lines.range(self.sent..) {
            part.extend_from_slice(&line.text);
            self.sent += 1;
            if part.len() >= PART {
                break;
            }
        }
        part.into()
    }

    /// Removes the oldest sent line, which is acknowledged with its number on the connection. None if the number is
    /// another one.
    pub(super) fn acknowledge(&mut self, number: i64) -> Option<Line> {
        if u64::try_from(number) != Ok(self.acknowledged_here + 1) {
            return None;
        }
        self.sent = self.sent.checked_sub(1)?;
        let line = self.lines.pop_front()?;
        self.bytes -= line.memory();
        self.acknowledged += 1;
        self.acknowledged_here += 1;
        Some(line)
    }

    /// Marks all lines as unsent, for another connection.
    pub(super) fn send_again(&mut self) {
        self.sent = 0;
        self.acknowledged_here = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, MAX_BYTES, Pending};
    use wearlab_intake::LineLocation;

    fn line(number: u64) -> Line {
        Line {
            location: LineLocation {
                input: "stdin".to_owned(),
                line: number,
            },
            text: b"x\n".to_vec(),
            read: 2 * number,
        }
    }

    #[test]
    fn short_lines_take_no_more_memory_than_long_ones() {
        let mut pending = Pending::default();
        let mut count = 0;
        while pending.has_room() {
            count += 1;
            pending.push(line(count));
        }
        let count = usize::try_from(count).expect("few");
        assert!(count * size_of::<Line>() <= MAX_BYTES, "{count} lines");
        while pending.has_unsent() {
            pending.part();
        }
        let mut number = 1;
        while pending.acknowledge(number).is_some() {
            number += 1;
        }
        assert_eq!((pending.bytes, pending.acknowledged()), (0, count as u64));
        assert!(pending.has_room() && pending.is_empty());
    }

    #[test]
    fn what_is_not_acknowledged_is_sent_again_from_its_first_line() {
        let mut pending = Pending::default();
        (1..=3).for_each(|number| pending.push(line(number)));
        let acknowledged = |pending: &mut Pending, number| pending.acknowledge(number).map(|line| line.location.line);
        assert_eq!(acknowledged(&mut pending, 1), None, "nothing was sent");
        assert_eq!(pending.part(), "x\n".repeat(3));
        assert_eq!(acknowledged(&mut pending, 2), None, "another one is next");
        assert_eq!(acknowledged(&mut pending, 1), Some(1));
        pending.send_again();
        assert!(pending.has_unsent());
        assert_eq!(pending.part(), "x\n".repeat(2));
        assert_eq!(
            acknowledged(&mut pending, 2),
            None,
            "they are counted from the first again"
        );
        assert_eq!(acknowledged(&mut pending, 1), Some(2));
    }
}
