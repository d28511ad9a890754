//! Source of the kit: this checkout, a repository or a release.

use std::path::{Path, PathBuf};

/// Source of the crates of the kit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kit {
    /// A checkout of this repository.
    Path(PathBuf),
    /// A repository, by its URL.
    Git(String),
    /// A release.
    Version(String),
}

impl Kit {
    /// Reads the option `--kit`: a version, a URL or a directory. By default, the checkout that the command runs in.
    pub(crate) fn of(option: Option<&str>, root: &Path) -> Self {
        match option {
            None => Self::Path(root.to_owned()),
            Some(url) if url.contains("://") => Self::Git(url.to_owned()),
            Some(version) if version.starts_with(|c: char| c.is_ascii_digit()) => Self::Version(version.to_owned()),
            Some(directory) => Self::Path(PathBuf::from(directory)),
        }
    }

    /// The source of a crate as keys of a dependency. `directory` is that of the crate in the repository.
    pub(super) fn keys(&self, directory: &str) -> String {
        match self {
            Self::Path(root) => format!("path = {:?}", root.join("crates").join(directory).to_string_lossy()),
            Self::Git(url) => format!("git = {url:?}"),
            Self::Version(version) => format!("version = {version:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Kit;

    #[test]
    fn the_kit_is_a_directory_a_repository_or_a_release() {
        for (option, keys) in [
            (None, r#"path = "/here/crates/kit-types""#),
            (Some("../kit"), r#"path = "../kit/crates/kit-types""#),
            (Some("0.1.0"), r#"version = "0.1.0""#),
            (Some("https://git.example/kit"), r#"git = "https://git.example/kit""#),
        ] {
            assert_eq!(Kit::of(option, Path::new("/here")).keys("kit-types"), keys);
        }
    }
}
