//! `cargo xtask soak` and `cargo xtask bench`: build and run programs of `tests/src/bin` with the service of this
//! checkout.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Arguments that select the features of a test run, so that no dependency is rebuilt: those of the whole workspace,
/// and those of dev-dependencies, which an example needs.
const AS_TESTED: [&str; 3] = ["--workspace", "--example", "in_memory"];

/// Runs the soak.
pub(crate) fn soak(root: &Path, arguments: &[OsString]) -> Result<()> {
    run(root, "soak", "debug", &AS_TESTED, arguments)
}

/// Runs the benchmarks, on release builds unless nothing is measured.
pub(crate) fn bench(root: &Path, arguments: &[OsString]) -> Result<()> {
    if arguments
        .iter()
        .any(|argument| argument == "--smoke" || argument == "--redraw" || argument == "--help")
    {
        return run(root, "bench", "debug", &AS_TESTED, arguments);
    }
    let packages = ["--release", "--package", "wearlab", "--package", "wearlab-tests"];
    run(root, "bench", "release", &packages, arguments)
}

/// Builds the service and a program, and runs the program with its arguments.
fn run(root: &Path, program: &str, profile: &str, build: &[&str], arguments: &[OsString]) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["build", "--quiet", "--bin", "wearlab", "--bin", program])
        .arg(format!("--features=wearlab-tests/{program}"))
        .args(build)
        .status();
    if !status.context("cannot run cargo build")?.success() {
        bail!("the {program} cannot be built");
    }
    // This program is in the directory of debug builds.
    let here = std::env::current_exe()?;
    let target = here.parent().and_then(Path::parent).context("no target directory")?;
    let program = target
        .join(profile)
        .join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    let status = Command::new(&program).args(arguments).status();
    let status = status.with_context(|| format!("cannot run {}", program.display()))?;
    match status.success() {
        true => Ok(()),
        false => bail!("{} failed: {status}", program.display()),
    }
}
