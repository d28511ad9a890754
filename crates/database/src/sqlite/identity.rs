//! Detection of files that were removed or replaced while the store is open.
//!
//! The engine continues to use files that were removed, replaced or truncated, and its writes to them would be lost.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::error::unusable;
use super::wal;
use crate::error::DatabaseError;

/// The file of a store, its write-ahead log and the log's index, as they were when the store was opened.
pub(super) struct OpenFiles {
    /// Paths of the files, at [`FILE`], `LOG` and `INDEX`.
    paths: [PathBuf; 3],
    opened: [Option<Identity>; 3],
    /// Minimum lengths in bytes. Only a checkpoint makes the file or the log shorter, and nothing the index.
    lengths: [AtomicU64; 3],
    /// Set permanently: the open files are useless, even if they come back.
    replaced: AtomicBool,
    began: Instant,
    /// Time of the last read that found the files unchanged, in nanoseconds since `began`.
    checked: AtomicU64,
}

/// Interval between checks of the files by reads: the three system calls are a large part of a read.
const CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// The device and the inode of a file.
type Identity = (u64, u64);

/// Indices of the store's file, its log and the log's index in the arrays.
const FILE: usize = 0;
const LOG: usize = 1;
const INDEX: usize = 2;

/// Result of a check of the files.
pub(super) enum Found {
    Same,
    /// The file or the log is shorter than before: a checkpoint of any process shortened it, or it was truncated.
    /// [`OpenFiles::accept_shorter`] decides.
    Shorter,
}

impl OpenFiles {
    /// Reads the identities of the files at a path.
    pub(super) fn at(path: &Path) -> Result<Self, DatabaseError> {
        // A process that finds no index of the log creates another one, and neither process sees the writes of the
        // other.
        let paths = ["", "-wal", "-shm"].map(|suffix| {
            let mut path = path.as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        });
        let found = look(&paths).map_err(|error| unusable(path, error))?;
        Ok(Self {
            opened: found.each_ref().map(|found| found.as_ref().map(identity)),
            lengths: found.each_ref().map(|found| AtomicU64::new(length(found.as_ref()))),
            replaced: AtomicBool::new(false),
            began: Instant::now(),
            checked: AtomicU64::new(0),
            paths,
        })
    }

    /// Returns whether both have the same database file. The log may differ.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.opened[FILE] == other.opened[FILE]
    }

    /// Fails if the files were removed or replaced, or if the store's file was truncated to nothing.
    pub(super) fn check(&self) -> Result<Found, DatabaseError> {
        self.check_previous()?;
        // Files whose metadata cannot be read count as removed.
        let Ok(found) = look(&self.paths) else {
            return Err(self.replaced());
        };
        let same = found.each_ref().map(|found| found.as_ref().map(identity)) == self.opened;
        if !same || length(found[FILE].as_ref()) == 0 {
            return Err(self.replaced());
        }
        let is_shorter = |file: usize| {
            let length = length(found[file].as_ref());
            self.lengths[file].fetch_max(length, Ordering::Relaxed) > length
        };
        if is_shorter(INDEX) {
            return Err(self.replaced());
        }
        match is_shorter(FILE) | is_shorter(LOG) {
            false => Ok(Found::Same),
            true => Ok(Found::Shorter),
        }
    }

    /// Checks like [`Self::check`], for a read on a connection that is already open. A change within the last
    /// millisecond may only be noticed by the next read.
    pub(super) fn check_for_read(&self) -> Result<Found, DatabaseError> {
        let now = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let checked = self.checked.load(Ordering::Relaxed);
        if checked > 0 && Duration::from_nanos(now.saturating_sub(checked)) < CHECK_INTERVAL {
            self.check_previous()?;
            return Ok(Found::Same);
        }
        let found = self.check()?;
        // A shorter file is not accepted yet. Until it is, each read checks again.
        if let Found::Same = found {
            self.checked.store(now, Ordering::Relaxed);
        }
        Ok(found)
    }

    /// Fails if a previous check found that the files were removed.
    pub(super) fn check_previous(&self) -> Result<(), DatabaseError> {
        match self.replaced.load(Ordering::Relaxed) {
            true => Err(self.gone()),
            false => Ok(()),
        }
    }

    /// Fails if the log is shorter than its index claims, or if the file lacks pages that the log does not have.
    /// `connection` must not be in a transaction.
    pub(super) fn accept_shorter(&self, connection: &Connection) -> Result<(), DatabaseError> {
        match wal::whole_lengths(connection, &self.paths[FILE], &self.paths[LOG]) {
            Ok(Some([file, log])) => {
                self.lengths[FILE].store(file, Ordering::Relaxed);
                self.lengths[LOG].store(log, Ordering::Relaxed);
                Ok(())
            }
            Err(DatabaseError::Busy) => Err(DatabaseError::Busy),
            // A new connection reads the schema first, and fails if that was in the log.
            Ok(None) | Err(_) => Err(self.replaced()),
        }
    }

    fn replaced(&self) -> DatabaseError {
        self.replaced.store(true, Ordering::Relaxed);
        self.gone()
    }

    fn gone(&self) -> DatabaseError {
        DatabaseError::Replaced {
            path: self.paths[FILE].clone(),
        }
    }
}

fn look([file, log, index]: &[PathBuf; 3]) -> io::Result<[Option<Metadata>; 3]> {
    Ok([metadata(file)?, metadata(log)?, metadata(index)?])
}

fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn length(found: Option<&Metadata>) -> u64 {
    found.map_or(0, Metadata::len)
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Constant: on other systems, open files can be neither removed nor renamed.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    (0, 0)
}
