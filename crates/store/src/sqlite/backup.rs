//! Copies of the whole file, and what the file keeps of the past.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::open::{BUSY_TIMEOUT, FILE, make_file, make_folder, on_opening, unusable};
use super::{Engine, schema};
use crate::StoreError;

impl Engine {
    pub(crate) fn backup(&self, file: &Path) -> Result<(), StoreError> {
        let occupied = || io::Error::new(io::ErrorKind::AlreadyExists, "the file exists");
        if fs::exists(file).map_err(|error| unusable(file, error))? {
            return Err(unusable(file, occupied()));
        }
        // First an empty file that only its owner may read: the engine fills it.
        make_file(file).map_err(|error| unusable(file, error))?;
        let copied = self.copy_to(file);
        if copied.is_err() {
            // Half a copy is of no use. Where it cannot be removed, its checks still tell.
            let _ = fs::remove_file(file);
        }
        copied
    }

    fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        let name = file.to_str().ok_or_else(|| {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "the file's name is not UTF-8");
            unusable(file, error)
        })?;
        self.read(|connection| {
            connection.execute("VACUUM INTO ?1", [name])?;
            Ok(())
        })?;
        check(file)?;
        fs::File::open(file)
            .and_then(|copy| copy.sync_all())
            .map_err(|error| unusable(file, error))
    }

    pub(crate) fn restore(file: &Path, folder: &Path) -> Result<(), StoreError> {
        check(file)?;
        make_folder(folder).map_err(|error| unusable(folder, error))?;
        let store = folder.join(FILE);
        if fs::exists(&store).map_err(|error| unusable(&store, error))? {
            let error = io::Error::new(
                io::ErrorKind::AlreadyExists,
                "there is a store already: choose another folder",
            );
            return Err(unusable(&store, error));
        }
        let part = folder.join("wearlab.db.part");
        let install = || -> io::Result<()> {
            if fs::exists(&part)? {
                fs::remove_file(&part)?;
            }
            make_file(&part)?;
            io::copy(&mut fs::File::open(file)?, &mut fs::File::create(&part)?)?;
            fs::File::open(&part)?.sync_all()?;
            fs::rename(&part, &store)?;
            fs::File::open(folder)?.sync_all()
        };
        install().map_err(|error| unusable(&store, error))
    }

    /// Moves all that the write-ahead log holds into the file, and empties the log: it keeps older states.
    ///
    /// Readers that are under way hold it up; they are waited for.
    pub(crate) fn put_away(&self) -> Result<(), StoreError> {
        let start = Instant::now();
        loop {
            let writer = self.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let busy: bool = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            drop(writer);
            if !busy {
                return Ok(());
            }
            if start.elapsed() > BUSY_TIMEOUT {
                return Err(StoreError::Busy);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Whether a file is a whole and sound store of a version that is known here.
fn check(file: &Path) -> Result<(), StoreError> {
    let look = || -> Result<(), StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(file, flags)?;
        if schema::check(&mut connection, file)? == 0 {
            return Err(StoreError::NotAStore { path: file.to_owned() });
        }
        let found: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if found == "ok" {
            return Ok(());
        }
        Err(StoreError::Damaged {
            path: file.to_owned(),
            source: found.into(),
        })
    };
    look().map_err(|error| on_opening(file, error))
}
