//! `cargo xtask ci`: what every change must pass.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Every feature but `wearlab-client/native-tls`, which needs the system's TLS library.
const FEATURES: &str = "wearlab-models/builder,wearlab-models/schemars,wearlab-client/rustls";

/// Runs each step in turn and stops at the first that fails.
pub(crate) fn run(root: &Path) -> Result<()> {
    cargo(root, &["fmt", "--all", "--check"], &[])?;
    cargo(
        root,
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ],
        &[],
    )?;
    println!("== regenerate --check");
    crate::regenerate::run(root, true)?;
    cargo(
        root,
        &["doc", "--workspace", "--no-deps", "--features", FEATURES],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    crate::package::check(root)
}

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
