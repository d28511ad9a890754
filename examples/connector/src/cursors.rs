//! Stored progress of each connection: one file each, which is replaced atomically.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use wearlab_client::models::Uuid;

use crate::provider::Cursor;

/// Content of a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Kept {
    /// Creation time of the connection: a user who links again may have another account at the provider.
    created_on: DateTime<FixedOffset>,
    cursor: Cursor,
}

/// Directory of one connector.
pub(crate) struct Cursors {
    directory: PathBuf,
    /// Two connectors of one directory would overwrite each other's progress.
    _lock: File,
}

impl Cursors {
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let lock = File::create(directory.join("lock"))?;
        lock.try_lock()?;
        Ok(Self {
            directory: directory.to_owned(),
            _lock: lock,
        })
    }

    /// Returns the cursor of a connection; none if it is new.
    pub(crate) fn load(&self, user: Uuid, created_on: DateTime<FixedOffset>) -> io::Result<Option<Cursor>> {
        let text = match fs::read(self.path(user)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let kept: Kept = serde_json::from_slice(&text)?;
        Ok((kept.created_on == created_on).then_some(kept.cursor))
    }

    /// Saves a cursor: after a crash, the file has either this one or the previous one.
    pub(crate) fn save(&self, user: Uuid, created_on: DateTime<FixedOffset>, cursor: &Cursor) -> io::Result<()> {
        let (path, part) = (self.path(user), self.directory.join("part"));
        let mut file = File::create(&part)?;
        file.write_all(&serde_json::to_vec(&Kept {
            created_on,
            cursor: cursor.clone(),
        })?)?;
        file.sync_data()?;
        fs::rename(part, path)
    }

    /// Removes the cursors of deleted connections.
    pub(crate) fn retain(&self, users: impl Fn(&str) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let is_cursor = path.extension().is_some_and(|extension| extension == "json");
            let user = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            if is_cursor && !users(user) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    fn path(&self, user: Uuid) -> PathBuf {
        self.directory.join(format!("{user}.json"))
    }
}
