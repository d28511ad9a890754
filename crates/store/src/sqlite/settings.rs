//! What an operator decides of the embedded store.

use std::thread;

/// How the embedded store is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedSettings {
    /// How many bytes of its file a process keeps in memory at most: half of them for the connection that writes, a quarter
    /// for those that read, of which there are as many as processors, and a quarter for documents of users. Each has 64 KiB at least, and memory is taken when
    /// there is something to keep.
    pub page_cache_bytes: u64,
}

impl Default for EmbeddedSettings {
    /// 64 MiB.
    fn default() -> Self {
        Self {
            page_cache_bytes: 64 * 1024 * 1024,
        }
    }
}

impl EmbeddedSettings {
    /// The cache of the connection that writes, in KiB. It also reads: what it changes, and all that a change is checked
    /// against.
    pub(super) fn writer_cache(&self) -> i64 {
        kib(self.page_cache_bytes / 2)
    }

    /// The cache of a connection that reads, in KiB. There are as many as threads that read at once.
    pub(super) fn reader_cache(&self) -> i64 {
        let readers = thread::available_parallelism().map_or(1, |count| count.get() as u64);
        kib(self.page_cache_bytes / 4 / readers)
    }

    /// How many bytes the documents of users may have that are kept as they were read.
    pub(super) fn document_cache(&self) -> usize {
        usize::try_from(self.page_cache_bytes / 4).unwrap_or(usize::MAX)
    }
}

/// No less than a transaction needs, and no more than the engine takes for a number.
fn kib(bytes: u64) -> i64 {
    i64::try_from(bytes / 1024)
        .unwrap_or(i64::MAX)
        .clamp(64, i64::from(i32::MAX))
}
