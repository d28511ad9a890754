//! Tables that the build script writes, read where they are in the program: what nobody looks at takes no memory.

use std::ops::Range;

/// A table of the build script, by its name.
macro_rules! table {
    ($name:expr) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name))
    };
}
/// Texts of the build script, by their name.
macro_rules! texts {
    ($name:expr) => {
        $crate::table::Texts::new(
            include_str!(concat!(env!("OUT_DIR"), "/", $name)),
            table!(concat!($name, ".starts")),
        )
    };
}
pub(crate) use {table, texts};

/// Numbers of so many bytes each, the lowest byte first.
pub(crate) struct Column<const BYTES: usize>(&'static [[u8; BYTES]]);

/// Texts, one after the other.
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

    /// The number at a place.
    pub(crate) fn get(&self, at: usize) -> usize {
        let mut number = [0; 8];
        number[..BYTES].copy_from_slice(&self.0[at]);
        u64::from_le_bytes(number) as usize
    }

    /// In a table of starts, from where to where what belongs to a place stands.
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

    /// The first text, from one on, that is not so, where all that are so stand before the others.
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
