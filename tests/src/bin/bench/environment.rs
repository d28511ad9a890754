//! Where it is measured: the binary, directories, and stores that are filled once.

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

/// How much of a store's file the service keeps in memory by default, in MiB: half of it for what it writes.
pub(crate) const PAGE_CACHE: u32 = 64;

/// How much of everything.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// How many rounds a result has.
    pub(crate) rounds: u32,
    /// How long something is tried in a round.
    pub(crate) span: Duration,
    /// The users of stores, from the fewest to the most.
    pub(crate) users: [u32; 3],
    /// Everything else is so many times less.
    pub(crate) divisor: u32,
    /// True if nothing is really measured.
    pub(crate) smoke: bool,
}

impl Scale {
    /// What the documentation shows.
    pub(crate) fn whole() -> Self {
        Self {
            rounds: 5,
            span: Duration::from_secs(3),
            users: [10_000, 100_000, 1_000_000],
            divisor: 1,
            smoke: false,
        }
    }

    /// As little as can be.
    pub(crate) fn smoke() -> Self {
        Self {
            rounds: 1,
            span: Duration::from_secs(1),
            users: [300, 600, 2000],
            divisor: 500,
            smoke: true,
        }
    }

    /// The same time in ten times as many turns, which few things that come between can disturb.
    pub(crate) fn finely(self) -> Self {
        Self {
            rounds: self.rounds * 10,
            span: self.span / 10,
            ..self
        }
    }

    /// So many of something, or less of it.
    pub(crate) fn of(&self, count: u32) -> u32 {
        (count / self.divisor).max(1)
    }

    /// The most users of a store.
    pub(crate) fn most(&self) -> u32 {
        self.users[2]
    }
}

/// Where it is measured.
pub(crate) struct Environment {
    /// The workspace.
    pub(crate) root: PathBuf,
    /// The binary under test.
    pub(crate) binary: PathBuf,
    /// How much.
    pub(crate) scale: Scale,
    /// True if peers that are missing are installed.
    pub(crate) installs: bool,
    /// What is kept from one run to the next.
    kept: PathBuf,
    scratch: OnceCell<TempDir>,
}

impl Environment {
    /// Unless it is given, the binary is the one beside this one.
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

    /// Where everything is built.
    pub(crate) fn target(&self) -> Result<&Path> {
        self.kept.parent().context("no target directory")
    }

    /// A directory that is kept from one run to the next.
    pub(crate) fn kept(&self, name: &str) -> Result<PathBuf> {
        let directory = self.kept.join(name);
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    /// A new directory, on the disk where stores are kept, that goes with this.
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

    /// The binary with a store in a directory.
    pub(crate) fn wearlab(&self, directory: &Path, settings: &[&str]) -> Wearlab {
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        Wearlab::new(self.binary.clone(), directory, settings)
    }

    /// The directory of a store with so many users of one team, which nobody may write to. It is filled once, and kept.
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

    /// Gives a command lines to read, and waits for its end.
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

    /// A copy of such a store, to write to.
    pub(crate) fn copied(&self, users: u32, name: &str) -> Result<PathBuf> {
        let (from, to) = (self.stored(users)?.join("data"), self.scratch(name)?);
        fs::create_dir(to.join("data"))?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let copy = to.join("data").join(entry.file_name());
            fs::copy(entry.path(), &copy)?;
            // Otherwise the first transaction that is made durable waits for all of it.
            fs::File::open(copy)?.sync_all()?;
        }
        Ok(to)
    }
}
