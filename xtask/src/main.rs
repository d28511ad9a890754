//! Commands of the workspace. `cargo xtask help` lists them.

#![expect(clippy::print_stdout, reason = "commands print what they do")]

mod cargo;
mod checkout;
mod ci;
mod coverage;
mod diff;
mod document;
mod generated_files;
mod git;
mod module;
mod package;
mod providers;
mod regenerate;
mod spec;
mod workspace;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use wearlab_codegen::Profile;

/// Commands of the Wearlab workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Generate code from spec/openapi.yaml.
    Regenerate {
        /// Write nothing; fail if a generated file is not up to date.
        #[arg(long)]
        check: bool,
        /// Another document: write a separate workspace for it into the directory `--out`, or modules into `--module`.
        #[arg(long, requires = "target", conflicts_with = "check")]
        spec: Option<PathBuf>,
        /// Directory of that workspace.
        #[arg(long, requires = "spec", group = "target")]
        out: Option<PathBuf>,
        /// Directory of a module of a crate that exists, such as `src/pets/generated`: its types, client and server become modules there.
        #[arg(long, requires = "spec", group = "target", conflicts_with = "kit")]
        module: Option<PathBuf>,
        /// Profile of the document: `strict`, or `tolerant`, which degrades unsupported parts, with a note.
        #[arg(long, requires = "spec", value_parser = ["strict", "tolerant"], default_value = "strict")]
        profile: String,
        /// Changes to the document before it is read, as a file of OpenAPI Overlay 1.0; several are applied in their order.
        #[arg(long, requires = "spec")]
        overlay: Vec<PathBuf>,
        /// Prefix of the names of its crates. Default: from the title of the document.
        #[arg(long, requires = "spec")]
        name: Option<String>,
        /// The kit that its crates depend on: a version, the URL of a Git repository, or the directory of a checkout.
        /// Default: this checkout.
        #[arg(long, requires = "spec")]
        kit: Option<String>,
        /// Crates of that workspace, with those that they depend on. Default: models, client and server; in a directory of an
        /// earlier run, those that it has.
        #[arg(long, requires = "spec", value_delimiter = ',', value_parser = ["models", "client", "server", "cli", "mcp", "mock"])]
        crates: Vec<String>,
    },
    /// Print how much of documents the tolerant profile generates: operations, parameters, bodies, responses, properties.
    Coverage {
        /// Documents, or directories of them.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Also print each part that is left out.
        #[arg(long)]
        missing: bool,
    },
    /// Compare spec/openapi.yaml with an older version: the changes, whom they break, and the version bump.
    Diff {
        /// Revision to compare with. Default: the latest release `v*`.
        rev: Option<String>,
        /// Fail if a breaking change is not in CHANGELOG.md, or the version bump is missing.
        #[arg(long)]
        check: bool,
    },
    /// Run the checks that every change must pass: format, clippy, generated files, documentation, packages.
    Ci,
    /// Run the benchmarks: ratios to references in the same run, with release builds; see `--help`.
    #[command(disable_help_flag = true)]
    Bench {
        /// Arguments of the benchmarks.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Kill the service under load, or deliver a backlog, and check for lost data; see `--help`.
    #[command(disable_help_flag = true)]
    Soak {
        /// Arguments of the soak test.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Regenerate {
            spec: Some(spec),
            out,
            module,
            profile,
            overlay,
            name,
            kit,
            crates,
            ..
        } => {
            let document = document::Document {
                spec: &spec,
                overlays: &overlay,
                profile: match profile.as_str() {
                    "tolerant" => Profile::Tolerant,
                    _ => Profile::Strict,
                },
                name: name.as_deref(),
            };
            match (module, out) {
                (Some(module), _) => module::write(&document, &module),
                (None, out) => {
                    let kit = workspace::Kit::of(kit.as_deref(), &root());
                    let out = out.unwrap_or_default();
                    workspace::write(
                        &root(),
                        &workspace::Options {
                            document,
                            out: &out,
                            kit,
                            crates: &crates,
                        },
                    )
                }
            }
        }
        Command::Regenerate { check, .. } => regenerate::run(&root(), check),
        Command::Coverage { paths, missing } => coverage::run(&paths, missing),
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

/// Returns the workspace's directory.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
