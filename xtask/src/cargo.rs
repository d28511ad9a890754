//! Runs cargo on the workspace.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Prints the command and runs it. Fails if the command fails.
pub(crate) fn cargo(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let line = format!("cargo {}", arguments.join(" "));
    println!("== {line}");
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(arguments)
        .envs(environment.iter().copied())
        .status()
        .with_context(|| format!("cannot run {line}"))?;
    if !status.success() {
        bail!("{line}: {status}");
    }
    Ok(())
}
