//! Settings of the embedded store.

use std::thread;

/// Settings of the embedded store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedSettings {
    /// Limit of the caches of a process in bytes: half for pages of the writing connection, a quarter for pages of
    /// reading connections, which share it by the number of processors, and a quarter for documents of users. The cache
    /// of a connection has at least 64 KiB. Memory is allocated on demand.
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
    /// Cache of the writing connection, in KiB. It also reads: the rows to change, and those that a change is checked
    /// against.
    pub(super) fn writer_cache(&self) -> i64 {
        kib(self.page_cache_bytes / 2)
    }

    /// Cache of a reading connection, in KiB. There are as many as threads that read at the same time.
    pub(super) fn reader_cache(&self) -> i64 {
        let readers = thread::available_parallelism().map_or(1, |count| count.get() as u64);
        kib(self.page_cache_bytes / 4 / readers)
    }

    /// Size limit of the document cache, in bytes.
    pub(super) fn document_cache(&self) -> usize {
        usize::try_from(self.page_cache_bytes / 4).unwrap_or(usize::MAX)
    }
}

/// Converts to KiB, between the minimum of a transaction and the maximum of the engine.
fn kib(bytes: u64) -> i64 {
    i64::try_from(bytes / 1024)
        .unwrap_or(i64::MAX)
        .clamp(64, i64::from(i32::MAX))
}
