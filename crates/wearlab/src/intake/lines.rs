//! Lines of inputs of any length, in memory that does not grow.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use super::LineError;

/// No record is longer.
const LONGEST: u64 = 16 * 1024 * 1024;

/// How much is read at once.
const BUFFER: usize = 1024 * 1024;

/// Something to read lines from, with the name that it has in messages.
pub struct Input {
    name: String,
    reader: BufReader<Box<dyn Read + Send>>,
}

impl Input {
    /// Lines that `reader` gives.
    pub fn new(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self {
            name: name.into(),
            reader: BufReader::with_capacity(BUFFER, Box::new(reader)),
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Where a line stands. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineLocation {
    /// The name of the input.
    pub input: String,
    /// The number of the line in it.
    pub line: u64,
}

impl fmt::Display for LineLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.input, self.line)
    }
}

/// A line with its location, or why it is none.
pub(super) type Found<'a> = (LineLocation, Result<&'a str, LineError>);

pub(super) struct Lines {
    /// Those to come, the next one last.
    inputs: Vec<Input>,
    number: u64,
    bytes: u64,
    line: Vec<u8>,
}

impl Lines {
    pub(super) fn new(mut inputs: Vec<Input>) -> Self {
        inputs.reverse();
        Self {
            inputs,
            number: 0,
            bytes: 0,
            line: Vec::new(),
        }
    }

    /// How much was read, of all inputs.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a line that is not blank is there without waiting for it.
    pub(super) fn ready(&self) -> bool {
        let buffer = self.inputs.last().map_or(&[][..], |input| input.reader.buffer());
        let end = buffer.iter().rposition(|byte| *byte == b'\n');
        end.is_some_and(|end| !buffer[..end].trim_ascii().is_empty())
    }

    /// The next line that is not blank. Where it cannot be read, the error comes with the location of the line.
    pub(super) fn next(&mut self) -> Result<Option<Found<'_>>, (LineLocation, io::Error)> {
        let location = loop {
            let Some(input) = self.inputs.last_mut() else {
                return Ok(None);
            };
            self.line.clear();
            self.number += 1;
            let location = LineLocation {
                input: input.name.clone(),
                line: self.number,
            };
            let read = (&mut input.reader).take(LONGEST).read_until(b'\n', &mut self.line);
            let read = read.map_err(|error| (location.clone(), error))? as u64;
            self.bytes += read;
            if read == 0 {
                self.inputs.pop();
                self.number = 0;
                continue;
            }
            if read == LONGEST && self.line.last() != Some(&b'\n') {
                self.bytes += skip_line(&mut input.reader).map_err(|error| (location.clone(), error))?;
                let error = LineError::new("", format!("the line is longer than {} MiB", LONGEST >> 20));
                return Ok(Some((location, Err(error))));
            }
            if self.number == 1 && self.line.starts_with("\u{feff}".as_bytes()) {
                self.line.drain(..3);
            }
            if !self.line.trim_ascii().is_empty() {
                break location;
            }
        };
        let text = std::str::from_utf8(self.line.trim_ascii());
        let text = text.map_err(|_| LineError::new("", "the line is not UTF-8"));
        Ok(Some((location, text)))
    }
}

/// Skips the rest of a line, and returns how much that was.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let (used, end) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        skipped += used as u64;
        if end {
            return Ok(skipped);
        }
    }
}
