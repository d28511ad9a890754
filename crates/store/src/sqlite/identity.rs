//! Whether the files of an open store are still the ones at its path.
//!
//! The engine goes on with files that were removed or replaced, and nobody would find again what it writes there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::open::unusable;
use crate::StoreError;

/// The file of a store and its write-ahead log, as they were when the store was opened.
pub(super) struct OpenFiles {
    file: PathBuf,
    log: PathBuf,
    opened: Identities,
    /// Set for good: what is open is of no use any more, even where the files come back.
    replaced: AtomicBool,
}

/// The device and the inode of the file and of its log, of those that are there.
type Identities = [Option<(u64, u64)>; 2];

impl OpenFiles {
    /// What is at a path now, with its log.
    pub(super) fn at(path: &Path) -> Result<Self, StoreError> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let (file, log) = (path.to_owned(), PathBuf::from(log));
        let opened = identities(&file, &log).map_err(|error| unusable(path, error))?;
        Ok(Self {
            file,
            log,
            opened,
            replaced: AtomicBool::new(false),
        })
    }

    /// Whether this is the same file, whatever its log.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.opened[0] == other.opened[0]
    }

    /// Fails where the files are no longer there, or others are.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if !self.replaced.load(Ordering::Relaxed) {
            // What cannot be looked at is not known to be there.
            let same = identities(&self.file, &self.log).is_ok_and(|now| now == self.opened);
            if same {
                return Ok(());
            }
            self.replaced.store(true, Ordering::Relaxed);
        }
        Err(StoreError::Replaced {
            path: self.file.clone(),
        })
    }
}

fn identities(file: &Path, log: &Path) -> io::Result<Identities> {
    Ok([identity(file)?, identity(log)?])
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
