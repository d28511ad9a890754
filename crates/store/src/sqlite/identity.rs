//! Whether the files of an open store are still the ones at its path.
//!
//! The engine goes on with files that were removed or replaced, and nobody would find again what it writes there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::open::unusable;
use crate::StoreError;

/// The file of a store, its write-ahead log and the log's index, as they were when the store was opened.
pub(super) struct OpenFiles {
    /// What stands at [`FILE`] is the store's file itself.
    paths: [PathBuf; 3],
    opened: Identities,
    /// Set for good: what is open is of no use any more, even where the files come back.
    replaced: AtomicBool,
}

/// The device and the inode of each file that is there.
type Identities = [Option<(u64, u64)>; 3];

/// Where the store's file itself stands among them.
const FILE: usize = 0;

impl OpenFiles {
    /// What is at a path now, with its log.
    pub(super) fn at(path: &Path) -> Result<Self, StoreError> {
        // A process that finds no index of the log makes another one, and neither sees what the other one writes.
        let paths = ["", "-wal", "-shm"].map(|suffix| {
            let mut path = path.as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        });
        let opened = identities(&paths).map_err(|error| unusable(path, error))?;
        Ok(Self {
            paths,
            opened,
            replaced: AtomicBool::new(false),
        })
    }

    /// Whether this is the same file, whatever its log.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.opened[FILE] == other.opened[FILE]
    }

    /// Fails where the files are no longer there, or others are, or where the store's file was emptied.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if !self.replaced.load(Ordering::Relaxed) {
            // What cannot be looked at is not known to be there.
            let same = identities(&self.paths).is_ok_and(|now| now == self.opened);
            let file = &self.paths[FILE];
            if same && std::fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0) {
                return Ok(());
            }
            self.replaced.store(true, Ordering::Relaxed);
        }
        Err(StoreError::Replaced {
            path: self.paths[FILE].clone(),
        })
    }
}

fn identities([file, log, index]: &[PathBuf; 3]) -> io::Result<Identities> {
    Ok([identity(file)?, identity(log)?, identity(index)?])
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt;
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(Some((metadata.dev(), metadata.ino()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Elsewhere, files that are open can be neither removed nor renamed.
#[cfg(not(unix))]
fn identity(_: &Path) -> io::Result<Option<(u64, u64)>> {
    Ok(None)
}
