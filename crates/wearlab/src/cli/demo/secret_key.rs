//! The secret key of a demo whose data are kept.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use wearlab_store::SecretKey;

use crate::config::files;

/// The file, for `secret_key_file` of other commands on the directory.
pub(super) const FILE: &str = "secret.keys";

/// Reads the keys of a directory. Without a file of keys, creates one that only its owner may read.
pub(super) fn of(directory: &Path) -> Result<Vec<SecretKey>> {
    let file = directory.join(FILE);
    let cannot = || format!("cannot create {}", file.display());
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).with_context(cannot)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&file) {
        Ok(mut created) => {
            let key = format!("{}\n", STANDARD.encode(rand::random::<[u8; 32]>()));
            created.write_all(key.as_bytes()).with_context(cannot)?;
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error).with_context(cannot),
    }
    files::secret_keys(&file).map_err(|error| anyhow!("{}", error.of(&file)))
}
