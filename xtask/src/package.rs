//! Checks the packages of the published crates: they build, are complete, and are not too large.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// Unpublished crates.
const OWN: [&str; 3] = ["wearlab-codegen", "wearlab-tests", "xtask"];

/// Maximum total size of the files of a package, in bytes: twice the size of the served document in its two forms,
/// which `wearlab-server` contains.
const MAX_PACKAGE_BYTES: u64 = 3 * 1024 * 1024;

/// Builds the packages, and checks their content.
pub(crate) fn check(root: &Path) -> Result<()> {
    let mut arguments = vec![
        "package",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
        "--locked",
        "--quiet",
    ];
    arguments.extend(OWN.iter().flat_map(|name| ["--exclude", name]));
    crate::cargo::cargo(root, &arguments, &[])?;
    for directory in directories(root)? {
        let listed = listed(&directory)?;
        let name = directory.display();
        for source in ["src", "build", "examples"].map(|part| directory.join(part)) {
            for file in files(&source)? {
                let file = file.strip_prefix(&directory)?;
                ensure!(
                    listed.iter().any(|listed| Path::new(listed) == file),
                    "{name}: its package lacks {}",
                    file.display()
                );
            }
        }
        let sizes = listed.iter().filter_map(|file| fs::metadata(directory.join(file)).ok());
        let size: u64 = sizes.map(|metadata| metadata.len()).sum();
        ensure!(
            size <= MAX_PACKAGE_BYTES,
            "{name}: its package has {size} bytes, and {MAX_PACKAGE_BYTES} are allowed: `exclude` in its Cargo.toml leaves files out"
        );
    }
    Ok(())
}

/// Returns the directories of the published crates.
fn directories(root: &Path) -> Result<Vec<PathBuf>> {
    let crates = fs::read_dir(root.join("crates")).context("cannot read crates")?;
    let mut directories = Vec::new();
    for directory in crates {
        let directory = directory?.path();
        let manifest = fs::read_to_string(directory.join("Cargo.toml"));
        let manifest = manifest.with_context(|| format!("cannot read Cargo.toml in {}", directory.display()))?;
        if !manifest.lines().any(|line| line == "publish = false") {
            directories.push(directory);
        }
    }
    Ok(directories)
}

/// Returns the files of a package.
fn listed(directory: &Path) -> Result<Vec<String>> {
    let list = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty"])
        .current_dir(directory)
        .output()
        .context("cannot run cargo package --list")?;
    if !list.status.success() {
        bail!("cargo package --list: {}", String::from_utf8_lossy(&list.stderr));
    }
    let list = String::from_utf8(list.stdout).context("the names of files are no text")?;
    Ok(list.lines().map(str::to_owned).collect())
}

/// Returns all files in a directory and below. Empty if it does not exist.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(directory) else {
        return Ok(files);
    };
    for entry in entries {
        let path = entry?.path();
        match path.is_dir() {
            true => files.extend(self::files(&path)?),
            false => files.push(path),
        }
    }
    Ok(files)
}
