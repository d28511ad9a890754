//! Lines that are not acknowledged yet.

use std::collections::VecDeque;

use axum::body::Bytes;

use crate::intake::LineLocation;

/// How many bytes of lines are kept at most, but for one line that is longer.
const MOST: usize = 8 * 1024 * 1024;
/// About how many bytes are sent as a part.
const PART: usize = 64 * 1024;

/// A line with its location.
pub(super) struct Line {
    pub(super) location: LineLocation,
    /// With its line end.
    pub(super) text: Vec<u8>,
    /// How many bytes of the inputs were read up to its end.
    pub(super) read: u64,
}

/// Lines that are not acknowledged yet, in order.
#[derive(Default)]
pub(super) struct Pending {
    lines: VecDeque<Line>,
    /// How many of them were sent on this connection.
    sent: usize,
    bytes: usize,
    acknowledged: u64,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.bytes < MOST
    }

    pub(super) fn has_unsent(&self) -> bool {
        self.sent < self.lines.len()
    }

    /// How many lines were acknowledged in all.
    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    pub(super) fn push(&mut self, line: Line) {
        self.bytes += line.text.len();
        self.lines.push_back(line);
    }

    /// Lines to send next.
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

    /// The oldest line that was sent, which is acknowledged. None where there is none.
    pub(super) fn acknowledge(&mut self) -> Option<Line> {
        self.sent = self.sent.checked_sub(1)?;
        let line = self.lines.pop_front()?;
        self.bytes -= line.text.len();
        self.acknowledged += 1;
        Some(line)
    }

    /// All of them are to be sent on another connection.
    pub(super) fn send_again(&mut self) {
        self.sent = 0;
    }
}
