//! Lines of inputs of any length, in memory that does not grow.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use super::LineError;
use super::framing::Framing;

/// How much is read at once.
const BUFFER: usize = 1024 * 1024;

/// Something to read lines from, with the name that it has in messages.
pub struct Input {
    name: String,
    reader: BufReader<Box<dyn Read + Send>>,
    /// Whether what comes next is there already.
    is_whole: bool,
}

impl Input {
    /// Lines that `reader` gives, which may have to wait for them.
    pub fn new(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self {
            name: name.into(),
            reader: BufReader::with_capacity(BUFFER, Box::new(reader)),
            is_whole: false,
        }
    }

    /// Lines of a file, which may also be a pipe or a device.
    pub fn of_file(name: impl Into<String>, file: File) -> Self {
        let is_whole = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Self {
            is_whole,
            ..Self::new(name, file)
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
pub(crate) type Found<'a> = (LineLocation, Result<&'a str, LineError>);

/// The lines of inputs.
pub(crate) struct Lines {
    /// Those to come, the next one last.
    inputs: Vec<Input>,
    framing: Framing,
    bytes: u64,
}

impl Lines {
    pub(crate) fn new(mut inputs: Vec<Input>) -> Self {
        inputs.reverse();
        Self {
            inputs,
            framing: Framing::default(),
            bytes: 0,
        }
    }

    /// How much was read, of all inputs.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a line that is not blank is there without waiting for it, or the end of a file.
    pub(crate) fn ready(&self) -> bool {
        let Some(input) = self.inputs.last() else {
            return false;
        };
        let buffer = input.reader.buffer();
        let end = buffer.iter().rposition(|byte| *byte == b'\n');
        input.is_whole || end.is_some_and(|end| !buffer[..end].trim_ascii().is_empty())
    }

    /// The next line that is not blank. Where it cannot be read, the error comes with the location of the line.
    pub(crate) fn next(&mut self) -> Result<Option<Found<'_>>, (LineLocation, io::Error)> {
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
                    self.framing = Framing::default();
                }
                None => {}
            }
        };
        Ok(Some((location, self.framing.line())))
    }
}
