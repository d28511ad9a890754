//! Files that are written under another name, and get their own once they are whole.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a store is written as while it is restored.
pub(super) const RESTORED: &str = "wearlab.db.part";

/// A file that is being written: removed when it is dropped, unless it was [finished](Self::finish).
///
/// What a process that was killed left behind is written anew.
pub(super) struct Part {
    path: PathBuf,
    target: PathBuf,
    /// The lock that says that somebody writes it. The system drops it with the process.
    _lock: File,
}

impl Part {
    /// Begins a part for a target, which must not be there.
    pub(super) fn begin(path: PathBuf, target: &Path) -> io::Result<Self> {
        let part = Self::begin_replacement(path, target)?;
        // Now that nobody else can finish one.
        match fs::exists(target)? {
            true => Err(taken()),
            false => Ok(part),
        }
    }

    /// Begins a part that [replaces](Self::replace) its target.
    pub(super) fn begin_replacement(path: PathBuf, target: &Path) -> io::Result<Self> {
        let file = claim(&path)?;
        unfinished().push(path.clone());
        Ok(Self {
            path,
            target: target.to_owned(),
            _lock: file,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, once all of it is on the disk.
    pub(super) fn finish(self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        match fs::hard_link(&self.path, &self.target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(taken()),
            // Not every file system has links. A rename would overwrite.
            Err(_) if !fs::exists(&self.target)? => fs::rename(&self.path, &self.target)?,
            Err(error) => return Err(error),
        }
        self.end()
    }

    /// Puts the file in the place of its target, once all of it is on the disk.
    pub(super) fn replace(self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.end()
    }

    /// Has the name of the target outlast a power cut.
    fn end(self) -> io::Result<()> {
        let directory = self
            .target
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new(".")).to_owned();
        drop(self);
        sync_directory(&directory)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        remove(&self.path);
        unfinished().retain(|path| *path != self.path);
    }
}

/// The parts that this process is writing.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the incomplete files of the backups and restores that this process is writing; they then fail. For a process
/// that is asked to end.
pub fn remove_unfinished_copies() {
    unfinished().iter().for_each(|path| remove(path));
}

/// Removes a part, and what the engine keeps beside it. Where that fails, the names still say what they are.
fn remove(path: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(name);
    }
}

fn taken() -> io::Error {
    io::Error::from(io::ErrorKind::AlreadyExists)
}

/// Opens the file of a part, empty and locked.
fn claim(path: &Path) -> io::Result<File> {
    loop {
        if fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let text = "there is something else than a file: remove it";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => {
                let text = "another process writes it: wait for that, and try again";
                io::Error::new(io::ErrorKind::ResourceBusy, text)
            }
            fs::TryLockError::Error(error) => error,
        })?;
        // Whoever had the lock before may have removed the file since it was opened.
        if is_at(&file, path)? {
            file.set_len(0)?;
            #[cfg(unix)]
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere, a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
