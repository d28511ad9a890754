//! Compile time of the generated code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::environment::Environment;
use crate::measure::{alternate, alternate_cold};
use crate::results::{Comparison, Found, Target};

/// Crate to compile, with the files to touch before each build.
pub(crate) struct Crate {
    directory: PathBuf,
    touched: Vec<PathBuf>,
}

pub(crate) fn run(environment: &Environment, lowered: &Path) -> Result<Found> {
    let (ours, macros) = (Crate::ours(environment)?, with_macro(environment, lowered)?);
    let builds = environment.kept("builds")?;
    // The first build, for which a user waits. One round only, because each builds some hundred crates.
    let fresh = alternate_cold(1, || ours.build_anew(environment), || macros.build_anew(environment))?;
    for each in [&ours, &macros] {
        each.build(&builds, false)
            .context("the first build, which is not measured")?;
    }
    let rounds = |incremental: bool, ours: &Crate, macros: &Crate| {
        alternate(
            environment.scale.rounds,
            || ours.build(&builds, incremental),
            || macros.build(&builds, incremental),
        )
    };
    let whole = rounds(false, &ours, &macros)?;
    // A user of the crates changes their own file, a developer of the client changes the client's.
    let touched = Crate {
        touched: vec![environment.root.join("crates/client/src/lib.rs")],
        ..ours
    };
    Ok(Found {
        results: vec![
            Comparison {
                what: "compile of a crate on the client, with all dependencies, from nothing".into(),
                reference: "that crate with progenitor's macro, with all dependencies".into(),
                unit: "s of processor (user)".into(),
                target: Target::AtMost(1.0),
                rounds: fresh,
            },
            Comparison {
                what: "compile of models and client, dependencies warm".into(),
                reference: "one crate with progenitor's macro on the document as OpenAPI 3.0.3".into(),
                unit: "s of processor (user)".into(),
                target: Target::AtMost(1.3),
                rounds: whole,
            },
            Comparison {
                what: "compile after the client was touched, incremental".into(),
                reference: "that crate after a touch, incremental".into(),
                unit: "s of processor (user)".into(),
                target: Target::None,
                rounds: rounds(true, &touched, &macros)?,
            },
        ],
        ..Found::default()
    })
}

/// Creates a crate in which progenitor's macro generates models and client.
fn with_macro(environment: &Environment, lowered: &Path) -> Result<Crate> {
    let manifest = "[package]\nname = \"with-macro\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
        progenitor = \"0.15\"\nprogenitor-client = \"0.15\"\nserde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n\
        chrono = { version = \"0.4\", features = [\"serde\"] }\nuuid = { version = \"1\", features = [\"serde\"] }\nbytes = \"1\"\nregress = \"0.12\"\n\
        futures-core = \"0.3\"\nreqwest = { version = \"0.13\", default-features = false, features = [\"rustls\", \"json\", \"stream\", \"query\"] }\n";
    let text = "progenitor::generate_api!(spec = \"lowered.json\", interface = Builder);\n";
    let directory = write(environment, "with-macro", manifest, text)?;
    fs::copy(lowered, directory.join("lowered.json"))?;
    let touched = vec![directory.join("src/lib.rs")];
    Ok(Crate { directory, touched })
}

fn write(environment: &Environment, name: &str, manifest: &str, text: &str) -> Result<PathBuf> {
    let directory = environment.scratch(name)?;
    fs::create_dir(directory.join("src"))?;
    fs::write(directory.join("Cargo.toml"), manifest)?;
    fs::write(directory.join("src/lib.rs"), text)?;
    // The same versions as the workspace, as far as possible.
    fs::copy(environment.root.join("Cargo.lock"), directory.join("Cargo.lock"))?;
    Ok(directory)
}

impl Crate {
    /// Creates a crate that depends on the models and the client.
    pub(crate) fn ours(environment: &Environment) -> Result<Self> {
        let crates = environment.root.join("crates");
        let manifest = format!(
            "[package]\nname = \"ours\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nwearlab-client = {{ path = {:?} }}\n",
            crates.join("client")
        );
        Ok(Self {
            directory: write(environment, "ours", &manifest, "pub use wearlab_client as client;\n")?,
            touched: ["models", "client"]
                .map(|name| crates.join(name).join("src/lib.rs"))
                .to_vec(),
        })
    }

    /// Prepares a crate that a generator wrote into a directory.
    pub(crate) fn generated(environment: &Environment, directory: &Path) -> Result<Self> {
        let manifest = directory.join("Cargo.toml");
        let mut text = fs::read_to_string(&manifest).context("no crate is written")?;
        // The crate is in a directory below this workspace, but does not belong to it.
        if !text.contains("[workspace]") {
            text += "\n[workspace]\n";
            fs::write(&manifest, text)?;
        }
        fs::copy(environment.root.join("Cargo.lock"), directory.join("Cargo.lock"))?;
        Ok(Self {
            directory: directory.to_owned(),
            touched: vec![directory.join("src/lib.rs")],
        })
    }

    /// Compiles the crate after a touch. Returns the processor time in seconds.
    pub(crate) fn build(&self, builds: &Path, incremental: bool) -> Result<f64> {
        for file in &self.touched {
            fs::File::options()
                .append(true)
                .open(file)?
                .set_modified(std::time::SystemTime::now())?;
        }
        self.build_in(
            &builds.join(if incremental { "incremental" } else { "whole" }),
            incremental,
        )
    }

    /// Compiles the crate and all its dependencies. Returns the processor time in seconds.
    fn build_anew(&self, environment: &Environment) -> Result<f64> {
        // Downloads are not part of the compile time.
        let fetched = Command::new("cargo")
            .args(["fetch", "--quiet"])
            .current_dir(&self.directory)
            .status()?;
        ensure!(fetched.success(), "cannot load the dependencies: {fetched}");
        let builds = environment.scratch("fresh")?;
        let seconds = self.build_in(&builds, false)?;
        fs::remove_dir_all(builds)?;
        Ok(seconds)
    }

    fn build_in(&self, target: &Path, incremental: bool) -> Result<f64> {
        let before = of_children()?;
        let output = Command::new("cargo")
            .args(["build", "--quiet"])
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_INCREMENTAL", if incremental { "1" } else { "0" })
            .stdout(Stdio::null())
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(of_children()? - before)
    }
}

/// Returns the user time of terminated child processes, in seconds.
fn of_children() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("processor time is measured on Linux")?;
    // The name may contain blanks, but the fields after it do not. Times are in hundredths of a second.
    let rest = stat.rsplit_once(')').context("no name of a process")?.1;
    let ticks = rest.split_whitespace().nth(13).context("no time of children")?;
    Ok(ticks.parse::<f64>()? / 100.0)
}
