//! `cargo xtask ci`: the checks that every change must pass.

use std::path::Path;

use anyhow::Result;

use crate::cargo::cargo;

/// Runs each step in turn, and stops at the first failure.
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
        // With the features of clippy, so that dependencies are checked once.
        &["doc", "--workspace", "--no-deps", "--all-features"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    crate::package::check(root)
}
