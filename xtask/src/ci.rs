//! `cargo xtask ci`: the checks that every change must pass.

use std::path::Path;

use anyhow::Result;

use crate::cargo::cargo;

/// Every feature except `wearlab-client/native-tls`, which needs the system's TLS library.
const FEATURES: &str = "wearlab-models/builder,wearlab-models/schemars,wearlab-client/rustls";

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
        &["doc", "--workspace", "--no-deps", "--features", FEATURES],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    crate::package::check(root)
}
