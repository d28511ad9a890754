//! Secret key of a demo with a kept data directory.

use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tempfile::NamedTempFile;
use wearlab_store::{SecretKey, StoreError};

use crate::config::files;

/// Name of the file, for `secret_key_file` of other commands on the directory.
const FILE: &str = "secret.keys";

/// File of secret keys in a data directory.
pub(super) struct SecretKeyFile {
    pub(super) keys: Vec<SecretKey>,
    path: PathBuf,
    is_new: bool,
}

impl SecretKeyFile {
    /// Reads the file of a directory. If there is none, creates one that only its owner may read, with a random key.
    pub(super) fn create_or_read(directory: &Path) -> Result<Self> {
        let path = directory.join(FILE);
        let cannot = || format!("cannot create {}", path.display());
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).with_context(cannot)?;
        let is_new = match path.try_exists().with_context(cannot)? {
            true => false,
            false => create(directory, &path).with_context(cannot)?,
        };
        let keys = files::secret_keys(&path).map_err(|error| anyhow!("{}", error.of(&path)))?;
        Ok(Self { keys, path, is_new })
    }

    /// Removes a new file if the store could not be opened, and nothing was encrypted with its key.
    pub(super) fn remove_after(&self, error: &StoreError) {
        let nothing_encrypted = matches!(
            error,
            StoreError::Sealed
                | StoreError::NotAStore { .. }
                | StoreError::NewerSchema { .. }
                | StoreError::Unfinished { .. }
        );
        if self.is_new && nothing_encrypted {
            // If this fails, the next demo reports the file in the same way.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a file under another name, and renames it once it is durable. Returns false if another process was first.
fn create(directory: &Path, path: &Path) -> std::io::Result<bool> {
    let mut file = NamedTempFile::with_prefix_in(FILE, directory)?;
    let key = format!("{}\n", STANDARD.encode(rand::random::<[u8; 32]>()));
    file.write_all(key.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error.error),
    }
    #[cfg(unix)]
    fs::File::open(directory)?.sync_all()?;
    Ok(true)
}
