//! Files that settings name: keys, tokens, URLs and certificates. Errors do not show their content.

use std::fmt::{self, Display};
use std::path::Path;
use std::{fs, io};

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use wearlab_delivery::kinds::is_built;
use wearlab_models::{DeliveryKind, Secret};
use wearlab_store::SecretKey;

/// Error of a file that a setting names. It has no path: that may be a secret, set by mistake. Callers with a safe path
/// add it by [`FileError::of`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileError {
    before: &'static str,
    after: String,
}

impl FileError {
    fn new(reason: impl Display) -> Self {
        Self {
            before: "",
            after: format!(" {reason}"),
        }
    }

    fn unreadable(error: io::Error) -> Self {
        Self {
            before: "cannot read ",
            after: format!(": {error}"),
        }
    }

    fn in_line(number: usize, reason: impl Display) -> Self {
        Self {
            before: "",
            after: format!(":{number}: {reason}"),
        }
    }

    /// Returns the message with the path of the file.
    pub(crate) fn of(&self, path: &Path) -> String {
        format!("{}{}{}", self.before, path.display(), self.after)
    }
}

impl Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}the file{}", self.before, self.after)
    }
}

impl std::error::Error for FileError {}

/// Checks that a file of credentials can be read.
pub(crate) fn credentials(path: &Path) -> Result<(), FileError> {
    let file = fs::File::open(path).and_then(|file| file.metadata());
    match file {
        Ok(metadata) if metadata.is_dir() => Err(FileError::new("is a directory")),
        Ok(_) => Ok(()),
        Err(error) => Err(FileError::unreadable(error)),
    }
}

/// Reads a file that contains only a secret.
pub(crate) fn secret(path: &Path) -> Result<Secret, FileError> {
    let text = fs::read_to_string(path).map_err(FileError::unreadable)?;
    match text.trim() {
        "" => Err(FileError::new("is empty")),
        text => Ok(Secret::from(text)),
    }
}

/// Checks that a path is a directory, or does not exist.
pub(crate) fn directory(path: &Path) -> Result<(), FileError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_dir() => Err(FileError::new("is not a directory")),
        _ => Ok(()),
    }
}

/// Checks a file that contains only the URL of a database.
pub(crate) fn database_url(path: &Path) -> Result<(), FileError> {
    check_database_url(&secret(path)?).map_err(FileError::new)
}

/// Checks the URL of a database with the parser that opens the store.
pub(crate) fn check_database_url(url: &Secret) -> Result<(), String> {
    #[cfg(feature = "postgres")]
    {
        let settings = wearlab_store::PostgresSettings::new(url.expose());
        settings.check_url().map_err(|error| error.to_string())
    }
    #[cfg(not(feature = "postgres"))]
    {
        let _ = url;
        Err("cannot be used: this build has no PostgreSQL; build it with the feature `postgres`".to_owned())
    }
}

/// Checks a file that contains only the token of a Svix server.
pub(crate) fn svix_token(path: &Path) -> Result<(), FileError> {
    check_svix_token(&secret(path)?).map_err(FileError::new)
}

/// Checks that a token can be sent to a Svix server.
pub(crate) fn check_svix_token(token: &Secret) -> Result<(), String> {
    match is_built(&DeliveryKind::Svix) {
        true => wearlab_delivery::svix::check_token(token).map_err(|unusable| unusable.reason),
        false => Err("cannot be used: this build has no Svix; build it with the feature `svix`".to_owned()),
    }
}

/// Checks that a file contains PEM certificates.
pub(crate) fn certificates(path: &Path) -> Result<(), FileError> {
    let pem = fs::read(path).map_err(FileError::unreadable)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(()),
        _ => Err(FileError::new("contains no PEM certificate")),
    }
}

/// Reads a file of keys, one per line. A file that others can read is rejected, since others may have its keys.
pub(crate) fn secret_keys(path: &Path) -> Result<Vec<SecretKey>, FileError> {
    let text = fs::read_to_string(path).map_err(FileError::unreadable)?;
    #[cfg(unix)]
    closed_to_others(path)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let key =
        |(number, line): (usize, &str)| SecretKey::from_base64(line).map_err(|error| FileError::in_line(number, error));
    let keys: Vec<_> = lines.map(key).collect::<Result<_, _>>()?;
    match keys.is_empty() {
        true => Err(FileError::new("contains no key")),
        false => Ok(keys),
    }
}

/// Rejects a file that others than its owner can access. The group may read a file of root: orchestrators mount secrets
/// this way.
#[cfg(unix)]
fn closed_to_others(path: &Path) -> Result<(), FileError> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).map_err(FileError::unreadable)?;
    let open = match metadata.uid() {
        0 => 0o037,
        _ => 0o077,
    };
    if metadata.is_file() && metadata.mode() & open != 0 {
        let mode = metadata.mode() & 0o777;
        let reason =
            format!("can be read or written by others (mode {mode:o}): set its mode to 600, and rotate its keys");
        return Err(FileError::new(reason));
    }
    Ok(())
}
