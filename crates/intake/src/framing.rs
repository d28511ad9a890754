//! Splits bytes into lines, from parts of any length.

use std::io::{BufRead, Read};

use super::LineError;

/// Splits bytes into lines, in the memory of one line.
#[derive(Debug)]
pub(crate) struct Framing {
    /// Maximum bytes of a line.
    max: usize,
    /// Number of the line that was completed last, from 1.
    pub(crate) number: u64,
    line: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Within,
    /// The line exceeds the limit, and its rest is skipped.
    Overlong,
    /// A line is complete, and the next bytes begin another one.
    Complete { overlong: bool },
}

impl Framing {
    /// Splits into lines of at most so many bytes.
    pub(crate) fn new(max: usize) -> Self {
        Self {
            max,
            number: 0,
            line: Vec::new(),
            state: State::default(),
        }
    }

    /// Consumes bytes of a part until a line that is not blank is complete, and returns true then. Otherwise it has
    /// consumed all of the part.
    pub(crate) fn push(&mut self, part: &mut &[u8]) -> bool {
        while !part.is_empty() {
            if self.state != State::Overlong {
                self.begin();
                self.skip_blank(part);
                if part.is_empty() {
                    return false;
                }
                let room = self.max - self.line.len();
                // Reading a slice cannot fail.
                let _ = part.take(room as u64).read_until(b'\n', &mut self.line);
                if self.line.last() == Some(&b'\n') {
                    if self.complete() {
                        return true;
                    }
                    continue;
                }
                if self.line.len() < self.max {
                    continue;
                }
                self.state = State::Overlong;
                self.line = Vec::new();
            }
            let before = *part;
            let skipped = part.skip_until(b'\n').unwrap_or_default();
            if before[..skipped].last() == Some(&b'\n') {
                return self.complete();
            }
        }
        false
    }

    /// Completes the last line, which has no line end. Returns true if there is one that is not blank.
    pub(crate) fn finish(&mut self) -> bool {
        match self.state {
            State::Overlong => self.complete(),
            State::Within if !self.line.is_empty() => self.complete(),
            State::Within | State::Complete { .. } => false,
        }
    }

    /// Returns the line that was completed last, or the error of an invalid one.
    pub(crate) fn line(&self) -> Result<&str, LineError> {
        if self.state == (State::Complete { overlong: true }) {
            let reason = format!("the line is longer than {} MiB", self.max >> 20);
            return Err(LineError::new("", reason));
        }
        let text = std::str::from_utf8(self.line.trim_ascii());
        text.map_err(|_| LineError::new("", "the line is not UTF-8"))
    }

    /// Skips white space before a line, with the blank lines in it, without copying: a compressed body of a few bytes
    /// can contain millions of line ends.
    fn skip_blank(&mut self, part: &mut &[u8]) {
        if !self.line.is_empty() {
            return;
        }
        let blank = part.iter().position(|byte| !byte.is_ascii_whitespace());
        let (blank, rest) = part.split_at(blank.unwrap_or(part.len()));
        self.number += memchr::memchr_iter(b'\n', blank).count() as u64;
        *part = rest;
    }

    /// Clears a completed line.
    fn begin(&mut self) {
        if matches!(self.state, State::Complete { .. }) {
            self.line.clear();
            self.state = State::Within;
        }
    }

    /// Counts a line. Returns true if it is not blank.
    fn complete(&mut self) -> bool {
        self.number += 1;
        let overlong = self.state == State::Overlong;
        self.state = State::Complete { overlong };
        if self.number == 1 && self.line.starts_with("\u{feff}".as_bytes()) {
            self.line.drain(..3);
        }
        overlong || !self.line.trim_ascii().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Framing;

    const MAX: usize = 2 << 20;

    /// Returns the lines of a text that arrives in parts.
    fn lines<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<(u64, Result<String, String>)> {
        let mut framing = Framing::new(MAX);
        let mut found = Vec::new();
        let note = |framing: &Framing, found: &mut Vec<_>| {
            let line = framing.line().map(str::to_owned).map_err(|error| error.reason);
            found.push((framing.number, line));
        };
        for mut part in parts {
            while framing.push(&mut part) {
                note(&framing, &mut found);
            }
            assert!(part.is_empty());
        }
        if framing.finish() {
            note(&framing, &mut found);
        }
        assert!(!framing.finish(), "the last line is there once");
        found
    }

    #[test]
    fn lines_are_the_same_in_any_parts() {
        let text = "\u{feff}{\"a\":1}\r\n\n  \t\r\n{\"b\":\"\u{f8}\"} \n\u{feff}x\nlast".as_bytes();
        let expected = vec![
            (1, Ok("{\"a\":1}".to_owned())),
            (4, Ok("{\"b\":\"\u{f8}\"}".to_owned())),
            (5, Ok("\u{feff}x".to_owned())),
            (6, Ok("last".to_owned())),
        ];
        assert_eq!(lines([text]), expected);
        for size in 1..text.len() {
            assert_eq!(lines(text.chunks(size)), expected, "parts of {size}");
            assert_eq!(lines([&text[..size], &text[size..]]), expected, "cut at {size}");
        }
        assert_eq!(lines(["\u{feff}\n \n".as_bytes()]), []);
        assert_eq!(lines([&b"\xff\n"[..]]), [(1, Err("the line is not UTF-8".to_owned()))]);
    }

    #[test]
    fn blank_lines_are_counted_and_not_copied() {
        let mut framing = Framing::new(MAX);
        for blank in [&b"\n"[..], b"\r\n", b" \t \n", b"   "] {
            let blank = blank.repeat(1 << 16);
            let (before, mut part) = (framing.number, &blank[..]);
            assert!(!framing.push(&mut part));
            assert!(part.is_empty());
            let ends = blank.iter().filter(|byte| **byte == b'\n').count() as u64;
            assert_eq!(framing.number - before, ends);
            assert_eq!(framing.line.capacity(), 0, "nothing of it is kept");
        }
        assert!(framing.push(&mut &b"line\n"[..]));
        assert_eq!(
            (framing.number, framing.line().expect("a line")),
            (3 * (1 << 16) + 1, "line")
        );
        // The byte order mark may be the whole first line.
        assert_eq!(lines([&b"\xef\xbb\xbf\n\na"[..]]), [(3, Ok("a".to_owned()))]);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_alone() {
        let too_long = Err("the line is longer than 2 MiB".to_owned());
        let long = [vec![b'a'; MAX], b"\nnext\n".to_vec()].concat();
        let fits = [vec![b'a'; MAX - 1], b"\nnext\n".to_vec()].concat();
        for size in [long.len(), 1_000_003, 65_536] {
            let found = lines(long.chunks(size));
            assert_eq!(found, [(1, too_long.clone()), (2, Ok("next".to_owned()))]);
            assert_eq!(lines(fits.chunks(size))[0].1.as_ref().map(String::len), Ok(MAX - 1));
        }
        assert_eq!(lines([&long[..MAX]]), [(1, too_long)]);
    }
}
