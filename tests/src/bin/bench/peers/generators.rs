//! Other Rust generators: their duration, and the compile time of their code.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::doubles::DOCUMENT;
use super::install::{cargo, pip};
use crate::environment::Environment;
use crate::generation::{Crate, lowered, ran};
use crate::measure::{Rounds, alternate, alternate_cold};
use crate::results::{Comparison, Found, Printed, Target};

/// Maximum length of the reason of a failure, in characters.
const MAX_REASON: usize = 240;

/// Generator.
struct Generator {
    /// Name in results.
    name: &'static str,
    /// Parts that it does not generate, compared with Wearlab.
    lacks: &'static str,
    install: fn(&Environment) -> Result<PathBuf>,
    /// Returns the command that writes a crate, from the installation, the document and the directory of the crate.
    generate: fn(&Path, &Path, &Path) -> Command,
}

const GENERATORS: [Generator; 4] = [
    Generator {
        name: "openapi-generator 7.26.0 (rust)",
        lacks: "no server, commands or mocks",
        install: |environment| pip(environment, &["openapi-generator-cli==7.26.0"]),
        generate: |installed, document, to| {
            let mut command = Command::new(installed.join("bin/openapi-generator-cli"));
            command
                .args(["generate", "--generator-name", "rust", "--input-spec"])
                .arg(document);
            command.args([
                "--package-name",
                "peer",
                "--additional-properties",
                "reqwestDefaultFeatures=rustls",
            ]);
            command.arg("--output").arg(to);
            command
        },
    },
    Generator {
        name: "cargo-progenitor 0.15.1",
        lacks: "no server or mocks",
        install: |environment| cargo(environment, "cargo-progenitor@0.15.1"),
        generate: |installed, document, to| {
            let mut command = Command::new(installed.join("bin/cargo-progenitor"));
            command.args([
                "progenitor",
                "--include-client",
                "false",
                "--interface",
                "builder",
                "--name",
                "peer",
                "--version",
                "0.1.0",
            ]);
            command.arg("--input").arg(document).arg("--output").arg(to);
            command
        },
    },
    Generator {
        name: "ploidy 0.15.0",
        lacks: "no server, commands or mocks",
        install: |environment| cargo(environment, "ploidy@0.15.0"),
        generate: |installed, document, to| {
            let mut command = Command::new(installed.join("bin/ploidy"));
            command.args(["generate", "rust"]).arg(document);
            command.args(["--name", "peer", "--output"]).arg(to);
            command
        },
    },
    Generator {
        name: "oas3-gen 0.29.0 (client-mod)",
        lacks: "no server, commands or mocks",
        install: |environment| cargo(environment, "oas3-gen@0.29.0"),
        generate: |installed, document, to| {
            let mut command = Command::new(installed.join("bin/oas3-gen"));
            command
                .args(["generate", "client-mod", "--workspace", "-i"])
                .arg(document)
                .arg("-o")
                .arg(to);
            command
        },
    },
];

/// Document, with its name in results.
struct Document {
    name: &'static str,
    file: PathBuf,
}

/// Wearlab's generator and generated code, built on demand.
struct Ours<'a> {
    environment: &'a Environment,
    builds: PathBuf,
    models_and_client: Crate,
}

pub(super) fn run(environment: &Environment, found: &mut Found) -> Result<()> {
    ensure!(!environment.scale.smoke, "a smoke run compiles nothing");
    let file = environment.scratch("generators")?.join("lowered.json");
    fs::write(&file, serde_json::to_string(&lowered::document()?)?)?;
    // The generator may fail for some documents. More are better.
    let documents = [
        Document {
            name: "the served document (OpenAPI 3.1)",
            file: environment.root.join(DOCUMENT),
        },
        Document {
            name: "its GET operations alone, as OpenAPI 3.0.3",
            file,
        },
    ];
    let ours = OnceCell::new();
    for generator in &GENERATORS {
        let installed = match (generator.install)(environment) {
            Ok(installed) => installed,
            Err(error) => {
                println!("SKIPPED: {} is not measured: {error:#}", generator.name);
                continue;
            }
        };
        if ours.get().is_none() {
            let _ = ours.set(Ours::new(environment)?);
        }
        let ours = ours.get().context("nothing of ours")?;
        for document in &documents {
            let what = format!("{} on {}", generator.name, document.name);
            println!("  {what}");
            match ours.against(generator, &installed, document) {
                Ok(results) => {
                    found.results.extend(results);
                    break;
                }
                Err(error) => {
                    let value = format!("{error:#}");
                    println!("  {value}");
                    found.printed.push(Printed {
                        what,
                        value,
                        target: None,
                        met: false,
                    });
                }
            }
        }
    }
    Ok(())
}

impl<'a> Ours<'a> {
    fn new(environment: &'a Environment) -> Result<Self> {
        // A release build, as the others are installed.
        let build = ["build", "--quiet", "--release", "--package", "xtask"];
        ran(Command::new("cargo").args(build).current_dir(&environment.root))?;
        let builds = environment.kept("builds")?;
        let models_and_client = Crate::ours(environment)?;
        models_and_client.build(&builds, false)?;
        Ok(Self {
            environment,
            builds,
            models_and_client,
        })
    }

    fn against(&self, generator: &Generator, installed: &Path, document: &Document) -> Result<[Comparison; 2]> {
        let directory = self.environment.scratch("generated")?;
        let generate = || (generator.generate)(installed, &document.file, &directory);
        let output = generate().output().context("it cannot be run")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            bail!("generates nothing: {}", reason(&said));
        }
        let theirs = Crate::generated(self.environment, &directory)?;
        if let Err(error) = theirs.build(&self.builds, false) {
            bail!("its output does not compile: {}", reason(&error.to_string()));
        }
        let rounds = self.environment.scale.rounds;
        let regenerate = self.environment.target()?.join("release/xtask");
        // Both were just compiled, so no warm-up is needed.
        let compiling = alternate_cold(
            rounds,
            || self.models_and_client.build(&self.builds, false),
            || theirs.build(&self.builds, false),
        )?;
        let generating = alternate(
            rounds,
            || {
                ran(Command::new(&regenerate)
                    .arg("regenerate")
                    .current_dir(&self.environment.root))
            },
            || ran(generate().stderr(Stdio::null())),
        )?;
        let comparison = |what: &str, unit: &str, rounds: Rounds| Comparison {
            what: what.into(),
            reference: format!("{} on {}: {}", generator.name, document.name, generator.lacks),
            unit: unit.into(),
            target: Target::None,
            rounds,
        };
        Ok([
            comparison(
                "cargo xtask regenerate, release build, nothing to write",
                "ms",
                generating,
            ),
            comparison(
                "compile of models and client, dependencies warm",
                "s of processor (user)",
                compiling,
            ),
        ])
    }
}

/// Summarizes the reason of a failure: its first error, and the number of errors.
fn reason(said: &str) -> String {
    let is_error = |line: &&str| {
        let line = line.trim_start().to_lowercase();
        let begins = ["error", "exception", "-attribute"]
            .iter()
            .any(|word| line.starts_with(word));
        (begins || line.contains("panicked")) && !line.contains("could not compile")
    };
    let errors: Vec<_> = said.lines().filter(is_error).collect();
    let first = errors
        .first()
        .copied()
        .or_else(|| said.lines().find(|line| !line.trim().is_empty()));
    let first: String = first
        .unwrap_or("it says nothing")
        .trim()
        .chars()
        .take(MAX_REASON)
        .collect();
    match errors.len() {
        0 | 1 => first,
        count => format!("{first} (and {} more errors)", count - 1),
    }
}
