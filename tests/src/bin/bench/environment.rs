//! Environment of the benchmarks: the binary, directories, and stores that are filled once.

use std::cell::OnceCell;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use wearlab_tests::process::Wearlab;

use crate::population;

/// Default page cache of the service in MiB. Half of it is for writes.
pub(crate) const PAGE_CACHE: u32 = 64;

/// Scale of the measurements.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// Number of rounds of a result.
    pub(crate) rounds: u32,
    /// Duration of a measurement in a round.
    pub(crate) span: Duration,
    /// Numbers of users of the stores, ascending.
    pub(crate) users: [u32; 3],
    /// Divisor of all other counts.
    pub(crate) divisor: u32,
    /// True for a smoke run, whose results are meaningless.
    pub(crate) smoke: bool,
}

impl Scale {
    /// Returns the scale of the documentation.
    pub(crate) fn whole() -> Self {
        Self {
            rounds: 5,
            span: Duration::from_secs(3),
            users: [10_000, 100_000, 1_000_000],
            divisor: 1,
            smoke: false,
        }
    }

    /// Returns the smallest scale.
    pub(crate) fn smoke() -> Self {
        Self {
            rounds: 1,
            span: Duration::from_secs(1),
            users: [300, 600, 2000],
            divisor: 500,
            smoke: true,
        }
    }

    /// Returns a scale with the same total time in ten times as many rounds, so that short disturbances affect few of
    /// them.
    pub(crate) fn finely(self) -> Self {
        Self {
            rounds: self.rounds * 10,
            span: self.span / 10,
            ..self
        }
    }

    /// Scales a count.
    pub(crate) fn of(&self, count: u32) -> u32 {
        (count / self.divisor).max(1)
    }

    /// Returns the largest number of users of a store.
    pub(crate) fn most(&self) -> u32 {
        self.users[2]
    }
}

/// Environment of the benchmarks.
pub(crate) struct Environment {
    /// The directory of the workspace.
    pub(crate) root: PathBuf,
    /// The binary under test.
    pub(crate) binary: PathBuf,
    /// The scale.
    pub(crate) scale: Scale,
    /// True if missing peers are installed.
    pub(crate) installs: bool,
    /// The directory that is kept between runs.
    kept: PathBuf,
    scratch: OnceCell<TempDir>,
}

impl Environment {
    /// Creates the environment. The default binary is the one beside this program.
    pub(crate) fn new(binary: Option<PathBuf>, scale: Scale, installs: bool) -> Result<Self> {
        let here = std::env::current_exe()?;
        let beside = || here.with_file_name(format!("wearlab{}", std::env::consts::EXE_SUFFIX));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("no workspace")?;
        let target = here.parent().and_then(Path::parent).context("no target directory")?;
        Ok(Self {
            root: root.to_owned(),
            binary: binary.unwrap_or_else(beside),
            scale,
            installs,
            kept: target.join("bench"),
            scratch: OnceCell::new(),
        })
    }

    /// Returns the target directory.
    pub(crate) fn target(&self) -> Result<&Path> {
        self.kept.parent().context("no target directory")
    }

    /// Returns a directory that is kept between runs.
    pub(crate) fn kept(&self, name: &str) -> Result<PathBuf> {
        let directory = self.kept.join(name);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    /// Creates a new directory on the disk of the stores, which is deleted on drop.
    pub(crate) fn scratch(&self, name: &str) -> Result<PathBuf> {
        if self.scratch.get().is_none() {
            fs::create_dir_all(&self.kept)?;
            let made = tempfile::Builder::new().prefix("run-").tempdir_in(&self.kept)?;
            let _ = self.scratch.set(made);
        }
        let directory = self.scratch.get().context("no directory")?.path().join(name);
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir(&directory)?;
        Ok(directory)
    }

    /// Returns the binary with a store in a directory.
    pub(crate) fn wearlab(&self, directory: &Path, settings: &[&str]) -> Wearlab {
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Wearlab::new(self.binary.clone(), directory, settings)
    }

    /// Returns the directory of a store with `users` users of one team, which must not be changed. It is filled once,
    /// and kept.
    pub(crate) fn stored(&self, users: u32) -> Result<PathBuf> {
        let directory = self.kept.join(format!("store-{}-{users}", population::VERSION));
        if directory.join("complete").exists() {
            return Ok(directory);
        }
        println!("  filling a store with {users} users, once");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        let wearlab = self.wearlab(&directory, &["log.filter=warn"]);
        self.import(wearlab.command(&["import", "-"]), population::lines(users))?;
        fs::write(directory.join("complete"), "")?;
        Ok(directory)
    }

    /// Writes lines to the input of a command, and waits for its end.
    pub(crate) fn import(&self, mut command: Command, lines: impl Iterator<Item = String>) -> Result<()> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let mut input = BufWriter::with_capacity(1 << 20, child.stdin.take().context("no input")?);
        let fed = lines
            .into_iter()
            .try_for_each(|line| writeln!(input, "{line}"))
            .and_then(|()| input.flush());
        drop(input);
        let status = child.wait()?;
        ensure!(status.success(), "the command failed: {status}");
        Ok(fed?)
    }

    /// Copies such a store, for writes.
    pub(crate) fn copied(&self, users: u32, name: &str) -> Result<PathBuf> {
        let (from, to) = (self.stored(users)?.join("data"), self.scratch(name)?);
        fs::create_dir(to.join("data"))?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let copy = to.join("data").join(entry.file_name());
            fs::copy(entry.path(), &copy)?;
            // Otherwise the first durable transaction waits for the whole copy.
            fs::File::open(copy)?.sync_all()?;
        }
        Ok(to)
    }
}
