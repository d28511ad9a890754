//! The packages of the crates that others may use: that they can be made, that nothing is missing, and nothing is large.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// Of those that are for this workspace alone.
const OWN: [&str; 3] = ["wearlab-codegen", "wearlab-tests", "xtask"];

/// The most bytes that the files of a package may have together.
const LARGEST: u64 = 1024 * 1024;

/// Makes the packages, and looks through what is in them.
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
    crate::ci::cargo(root, &arguments, &[])?;
    for folder in folders(root)? {
        let listed = listed(&folder)?;
        let name = folder.display();
        for source in ["src", "build", "examples"].map(|part| folder.join(part)) {
            for file in files(&source)? {
                let file = file.strip_prefix(&folder)?;
                ensure!(
                    listed.iter().any(|listed| Path::new(listed) == file),
                    "{name}: its package lacks {}",
                    file.display()
                );
            }
        }
        let sizes = listed.iter().filter_map(|file| fs::metadata(folder.join(file)).ok());
        let size: u64 = sizes.map(|metadata| metadata.len()).sum();
        ensure!(
            size <= LARGEST,
            "{name}: its package has {size} bytes, and {LARGEST} are allowed: `exclude` in its Cargo.toml leaves files out"
        );
    }
    Ok(())
}

/// The folders of the crates that have packages.
fn folders(root: &Path) -> Result<Vec<PathBuf>> {
    let crates = fs::read_dir(root.join("crates")).context("cannot read crates")?;
    let mut folders = Vec::new();
    for folder in crates {
        let folder = folder?.path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        let manifest = manifest.with_context(|| format!("cannot read Cargo.toml in {}", folder.display()))?;
        if !manifest.lines().any(|line| line == "publish = false") {
            folders.push(folder);
        }
    }
    Ok(folders)
}

/// The files that are in a package.
fn listed(folder: &Path) -> Result<Vec<String>> {
    let list = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty"])
        .current_dir(folder)
        .output()
        .context("cannot run cargo package --list")?;
    if !list.status.success() {
        bail!("cargo package --list: {}", String::from_utf8_lossy(&list.stderr));
    }
    let list = String::from_utf8(list.stdout).context("the names of files are no text")?;
    Ok(list.lines().map(str::to_owned).collect())
}

/// All files below a folder; none, where it is not there.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
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
