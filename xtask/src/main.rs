//! Wearlab's own commands. `cargo xtask help` lists them.

#![expect(clippy::print_stdout, reason = "commands print what they do")]

mod checkout;
mod ci;
mod diff;
mod package;
mod regenerate;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

/// Wearlab's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Compile spec/openapi.yaml into the crates that have generated code.
    Regenerate {
        /// Write nothing; fail if a generated file is not what the document gives.
        #[arg(long)]
        check: bool,
    },
    /// Compare spec/openapi.yaml with an older one: what breaks whom, and which version follows.
    Diff {
        /// The revision to compare with: the latest release `v*`, if not given.
        rev: Option<String>,
        /// Fail if a breaking change is not in CHANGELOG.md, or the version did not grow as it must.
        #[arg(long)]
        check: bool,
    },
    /// What every change must pass: format, clippy, generated files, documentation, packages.
    Ci,
    /// Measure speed, as ratios to references in the same run, with release builds; `--help` says more.
    #[command(disable_help_flag = true)]
    Bench {
        /// What the bench is told.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Kill the service under load, or have it make up a backlog, and look for what is lost; `--help` says more.
    #[command(disable_help_flag = true)]
    Soak {
        /// What the soak is told.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Regenerate { check } => regenerate::run(&root(), check),
        Command::Diff { rev, check } => diff::run(&root(), rev.as_deref(), check),
        Command::Ci => ci::run(&root()),
        Command::Bench { arguments } => checkout::bench(&root(), &arguments),
        Command::Soak { arguments } => checkout::soak(&root(), &arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
