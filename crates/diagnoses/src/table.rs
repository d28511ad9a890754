//! Tables of the build script, read in place from the binary, so that unused ones take no memory.

use std::ops::Range;

/// Reads a table of the build script, by its name.
macro_rules! table {
    ($name:expr) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}
/// Reads texts of the build script, by their name.
macro_rules! texts {
    ($name:expr) => {
        $crate::table::Texts::new(
            include_str!(concat!(env!("OUT_DIR"), "/", $name)),
            table!(concat!($name, ".starts")),
        )
    };
}
pub(crate) use {table, texts};

/// Numbers of a fixed number of bytes, little-endian.
pub(crate) struct Column<const BYTES: usize>(&'static [[u8; BYTES]]);

/// Concatenated texts.
pub(crate) struct Texts {
    whole: &'static str,
    starts: Column<4>,
}

impl<const BYTES: usize> Column<BYTES> {
    pub(crate) const fn new(bytes: &'static [u8]) -> Self {
        let (rows, rest) = bytes.as_chunks();
        assert!(rest.is_empty(), "the table is of other numbers");
        Self(rows)
    }

    /// Returns the number at an index.
    pub(crate) fn get(&self, at: usize) -> usize {
        let mut number = [0; 8];
        number[..BYTES].copy_from_slice(&self.0[at]);
        u64::from_le_bytes(number) as usize
    }

    /// Returns the range at an index, in a table of starts.
    pub(crate) fn range(&self, at: usize) -> Range<usize> {
        self.get(at)..self.get(at + 1)
    }

    pub(crate) fn rows(&self) -> &'static [[u8; BYTES]] {
        self.0
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Texts {
    pub(crate) const fn new(whole: &'static str, starts: &'static [u8]) -> Self {
        Self {
            whole,
            starts: Column::new(starts),
        }
    }

    pub(crate) fn get(&self, at: usize) -> &'static str {
        &self.whole[self.starts.range(at)]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the index from which texts no longer satisfy the predicate, at or after `from`.
    pub(crate) fn partition_point(&self, from: usize, so: impl Fn(&str) -> bool) -> usize {
        let (mut from, mut to) = (from, self.len());
        while from < to {
            let middle = from.midpoint(to);
            if so(self.get(middle)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }
}
