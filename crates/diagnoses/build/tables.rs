//! Tables, as files that `src/table.rs` reads.

use std::fs;
use std::io::{self, Error};
use std::path::PathBuf;

/// Where tables are written.
pub(crate) struct Tables {
    folder: PathBuf,
}

impl Tables {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes numbers of so many bytes each, the lowest byte first.
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
        fs::write(self.folder.join(name), column)
    }

    /// Writes texts one after the other, and where each begins and the last one ends.
    pub(crate) fn texts<'a>(&self, name: &str, texts: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
        let (mut whole, mut starts) = (String::new(), vec![0]);
        for text in texts {
            whole.push_str(text);
            starts.push(whole.len());
        }
        fs::write(self.folder.join(name), whole)?;
        self.column::<4>(&format!("{name}.starts"), starts)
    }
}
