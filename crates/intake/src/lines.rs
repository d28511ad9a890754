//! Reads lines of inputs of any length in constant memory.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read};

use super::LineError;
use super::framing::Framing;

/// Maximum bytes of lines in a batch, not counting the last line.
pub(super) const BATCH_BYTES: u64 = 4 * 1024 * 1024;

/// Bytes of a buffer: twice the length of a batch, so that the lines of the next batch are in memory, too.
const BUFFER: usize = 2 * BATCH_BYTES as usize;

const MIN_BUFFER: usize = 64 * 1024;

/// Input of lines, with its name for messages.
pub struct Input {
    name: String,
    reader: BufReader<Box<dyn Read + Send>>,
    /// True if it is a regular file, so that reading does not wait for a writer.
    is_file: bool,
}

impl Input {
    /// Creates an input from a reader, which may wait for its writer.
    pub fn new(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self {
            name: name.into(),
            reader: BufReader::with_capacity(BUFFER, Box::new(reader)),
            is_file: false,
        }
    }

    /// Creates an input from a file, which may also be a pipe or a device.
    pub fn of_file(name: impl Into<String>, file: File) -> Self {
        let metadata = file.metadata().ok().filter(Metadata::is_file);
        let length = metadata.as_ref().map_or(u64::MAX, Metadata::len);
        // There may be many files, so small ones get small buffers. Some, such as those in /proc, report a wrong
        // length.
        let buffer = usize::try_from(length).map_or(BUFFER, |length| length.clamp(MIN_BUFFER, BUFFER));
        Self {
            name: name.into(),
            reader: BufReader::with_capacity(buffer, Box::new(file)),
            is_file: metadata.is_some(),
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

/// Location of a line. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineLocation {
    /// Name of the input.
    pub input: String,
    /// Number of the line in it.
    pub line: u64,
}

impl fmt::Display for LineLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.input, self.line)
    }
}

/// Line with its location, or its error.
pub(crate) type Found<'a> = (LineLocation, Result<&'a str, LineError>);

/// Lines of inputs.
pub struct Lines {
    /// Remaining inputs, the next one last.
    inputs: Vec<Input>,
    max_line: usize,
    framing: Framing,
    bytes: u64,
}

impl Lines {
    /// Creates the lines of inputs, of at most so many bytes each.
    pub fn new(mut inputs: Vec<Input>, max_line: usize) -> Self {
        inputs.reverse();
        Self {
            inputs,
            max_line,
            framing: Framing::new(max_line),
            bytes: 0,
        }
    }

    /// Returns the bytes read from all inputs.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether a line that is not blank is in memory.
    pub fn ready(&self) -> bool {
        let buffer = self.inputs.last().map_or(&[][..], |input| input.reader.buffer());
        let end = buffer.iter().rposition(|byte| *byte == b'\n');
        end.is_some_and(|end| !buffer[..end].trim_ascii().is_empty())
    }

    /// Returns whether all remaining inputs are files, so that no read waits for a writer.
    pub fn are_files(&self) -> bool {
        self.inputs.iter().all(|input| input.is_file)
    }

    /// Returns the next line that is not blank. A read error has the location of the line.
    pub fn next_line(&mut self) -> Result<Option<Found<'_>>, (LineLocation, io::Error)> {
        let location = loop {
            let Some(input) = self.inputs.last_mut() else {
                return Ok(None);
            };
            let location = |line| LineLocation {
                input: input.name.clone(),
                line,
            };
            let buffer = match input.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err((location(self.framing.number + 1), error)),
            };
            let (mut rest, ended) = (buffer, buffer.is_empty());
            let found = match ended {
                true => self.framing.finish(),
                false => self.framing.push(&mut rest),
            };
            let used = buffer.len() - rest.len();
            let location = found.then(|| location(self.framing.number));
            input.reader.consume(used);
            self.bytes += used as u64;
            match location {
                Some(location) => break location,
                None if ended => {
                    self.inputs.pop();
                    self.framing = Framing::new(self.max_line);
                }
                None => {}
            }
        };
        Ok(Some((location, self.framing.line())))
    }
}
