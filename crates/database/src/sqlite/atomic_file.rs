//! Atomic file creation: files are written under a temporary name, and renamed when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns the temporary name of a file during a restore.
pub(super) fn restored(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// A file that is being written. It is removed on drop, unless it was [finished](Self::finish).
///
/// A leftover of a killed process is overwritten.
pub(super) struct AtomicFile {
    path: PathBuf,
    target: PathBuf,
    /// Lock of the writer. The system releases it when the process ends.
    _lock: File,
}

impl AtomicFile {
    /// Starts a partial file for a target, which must not exist.
    pub(super) fn begin(path: PathBuf, target: &Path) -> io::Result<Self> {
        let part = Self::begin_replacement(path, target)?;
        // Checked under the lock: no other process can finish one now.
        match fs::exists(target)? {
            true => Err(taken()),
            false => Ok(part),
        }
    }

    /// Starts a partial file that [replaces](Self::replace) its target.
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

    /// Syncs the file to disk, and gives it its final name.
    pub(super) fn finish(self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        match fs::hard_link(&self.path, &self.target) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(taken()),
            // Some file systems have no links. A rename would overwrite.
            Err(_) if !fs::exists(&self.target)? => fs::rename(&self.path, &self.target)?,
            Err(error) => return Err(error),
        }
        self.end()
    }

    /// Syncs the file to disk, and replaces its target, whose owner it gets.
    pub(super) fn replace(self) -> io::Result<()> {
        self.take_owner()?;
        File::open(&self.path)?.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        self.end()
    }

    /// Gives the file the owner of its target, who differs if the administrator runs a command on a service's files.
    #[cfg(unix)]
    fn take_owner(&self) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, chown};
        let [own, target] =
            [fs::metadata(&self.path)?, fs::metadata(&self.target)?].map(|file| (file.uid(), file.gid()));
        match own == target {
            true => Ok(()),
            false => chown(&self.path, Some(target.0), Some(target.1)),
        }
    }

    #[cfg(not(unix))]
    fn take_owner(&self) -> io::Result<()> {
        Ok(())
    }

    /// Syncs the directory, so that the new name survives a power cut.
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

impl Drop for AtomicFile {
    fn drop(&mut self) {
        remove(&self.path);
        unfinished().retain(|path| *path != self.path);
    }
}

/// Paths of the partial files that this process is writing.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the incomplete files of the backups and restores that this process is writing, which then fail. Use it when
/// the process is asked to end.
pub fn remove_unfinished_copies() {
    unfinished().iter().for_each(|path| remove(path));
}

/// Removes a partial file, with the engine's files beside it. Errors are ignored: the names still mark the files as
/// temporary.
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

/// Opens a partial file, empty and locked.
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
        // The previous holder of the lock may have removed the file since it was opened.
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

/// True: on other systems, an open file cannot be removed.
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
