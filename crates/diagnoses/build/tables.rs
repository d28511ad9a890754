//! Writes tables as files that `src/table.rs` reads.

use std::fs;
use std::io::{self, Error};
use std::path::PathBuf;

/// Directory of the tables.
pub(crate) struct Tables {
    directory: PathBuf,
}

impl Tables {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Writes numbers of a fixed number of bytes, little-endian.
    pub(crate) fn column<const BYTES: usize>(
        &self,
        name: &str,
        numbers: impl IntoIterator<Item = usize>,
    ) -> io::Result<()> {
        let mut column = Vec::new();
        for number in numbers {
            let number = (number as u64).to_le_bytes();
            if number[BYTES..].iter().any(|byte| *byte != 0) {
                return Err(Error::other(format!("{name}: a number takes more than {BYTES} bytes")));
            }
            column.extend_from_slice(&number[..BYTES]);
        }
        fs::write(self.directory.join(name), column)
    }

    /// Writes concatenated texts, the start of each and the end of the last one.
    pub(crate) fn texts<'a>(&self, name: &str, texts: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        let (mut whole, mut starts) = (String::new(), vec![0]);
        for text in texts {
            whole.push_str(text);
            starts.push(whole.len());
        }
        fs::write(self.directory.join(name), whole)?;
        self.column::<4>(&format!("{name}.starts"), starts)
    }
}
