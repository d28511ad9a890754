//! Code generation from the document, and compilation of the generated code.

mod compile;
pub(crate) mod lowered;

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

pub(crate) use self::compile::Crate;
use crate::environment::Environment;
use crate::measure::alternate;
use crate::results::{Comparison, Found, Target};

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let directory = environment.scratch("generation")?;
    let lowered = directory.join("lowered.json");
    std::fs::write(&lowered, serde_json::to_string(&lowered::document()?)?)?;
    // Both in debug builds, which every developer has.
    let build = ["build", "--quiet", "--package", "xtask", "--package", "wearlab-codegen"];
    let whole = ["--bin", "xtask", "--example", "progenitor"];
    ran(Command::new("cargo")
        .args(build)
        .args(whole)
        .current_dir(&environment.root))?;
    let target = environment.target()?;
    let regenerate = || {
        ran(Command::new(target.join("debug/xtask"))
            .arg("regenerate")
            .current_dir(&environment.root))
    };
    let progenitor = || ran(Command::new(target.join("debug/examples/progenitor")).arg(&lowered));
    let rounds = alternate(environment.scale.rounds, regenerate, progenitor).context("cannot generate")?;
    let mut found = if environment.scale.smoke {
        println!("  SKIPPED: compiling, which builds all dependencies anew");
        Found::default()
    } else {
        compile::run(environment, &lowered)?
    };
    found.results.insert(
        0,
        Comparison {
            what: "cargo xtask regenerate, debug build, nothing to write".into(),
            reference: "progenitor alone on the document as OpenAPI 3.0.3, debug build".into(),
            unit: "ms".into(),
            target: Target::AtMost(2.5),
            rounds,
        },
    );
    Ok(found)
}

/// Runs a command that must succeed. Returns its duration in milliseconds.
pub(crate) fn ran(command: &mut Command) -> Result<f64> {
    let started = Instant::now();
    let status = command
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(started.elapsed().as_secs_f64() * 1e3)
}
