//! Installs packages of npm, PyPI and crates.io, once for each version.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::environment::Environment;

/// Installs packages of npm. Returns a directory with `node_modules`.
pub(super) fn npm(environment: &Environment, packages: &[&str]) -> Result<PathBuf> {
    once(environment, packages, |directory| {
        let mut command = Command::new("npm");
        command
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(directory)
            .args(packages);
        succeeds(command)
    })
}

/// Installs packages of PyPI. Returns a directory with `bin`.
pub(super) fn pip(environment: &Environment, packages: &[&str]) -> Result<PathBuf> {
    once(environment, packages, |directory| {
        let mut command = Command::new("python3");
        command.args(["-m", "venv"]).arg(directory);
        succeeds(command)?;
        let mut command = Command::new(directory.join("bin/pip"));
        command
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .args(packages);
        succeeds(command)
    })
}

/// Installs a program of crates.io. Returns a directory with `bin`.
pub(super) fn cargo(environment: &Environment, package: &str) -> Result<PathBuf> {
    once(environment, &[package], |directory| {
        let mut command = Command::new("cargo");
        command
            .args(["install", "--quiet", "--locked", "--root"])
            .arg(directory)
            .arg(package);
        succeeds(command)
    })
}

fn once(environment: &Environment, packages: &[&str], install: impl FnOnce(&PathBuf) -> Result<()>) -> Result<PathBuf> {
    let name = packages.join("+").replace('/', "-");
    let directory = environment.kept("peers")?.join(&name);
    if directory.join("complete").exists() {
        return Ok(directory);
    }
    if !environment.installs {
        bail!("{name} is not installed, which `cargo xtask bench peers` does");
    }
    println!("  installing {name}, once");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::create_dir_all(&directory)?;
    install(&directory)?;
    fs::write(directory.join("complete"), "")?;
    Ok(directory)
}

fn succeeds(mut command: Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot run {}", command.get_program().display()))?;
    ensure!(status.success(), "{}: {status}", command.get_program().display());
    Ok(())
}
