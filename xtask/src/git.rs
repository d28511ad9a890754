//! Calls of git.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Returns the text of a file in a revision.
pub(crate) fn show(root: &Path, rev: &str, file: &str) -> Result<String> {
    run(root, &["show", &format!("{rev}:{file}")])
}

/// Runs git, and returns its output.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<String> {
    let line = format!("git {}", arguments.join(" "));
    let output = Command::new("git").current_dir(root).args(arguments).output();
    let output = output.with_context(|| format!("cannot run {line}"))?;
    if !output.status.success() {
        bail!("{line}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("{line}: not UTF-8"))
}
