//! Samples in a Parquet file, which DuckDB writes and reads.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{Samples, compare};
use crate::environment::Environment;
use crate::peers::install::pip;
use crate::results::Comparison;
use crate::samples::Reading;

const PACKAGE: &str = "duckdb==2.0.1";

/// Process with DuckDB, which is killed on drop.
struct Parquet {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    directory: PathBuf,
}

pub(in super::super) fn run(environment: &Environment) -> Result<Vec<Comparison>> {
    let installed = pip(environment, &[PACKAGE])?;
    let directory = environment.scratch("parquet")?;
    let mut child = Command::new(installed.join("bin/python"))
        .arg(environment.root.join("tests/bench/peers/parquet.py"))
        .arg(&directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run Python")?;
    let input = child.stdin.take().context("no input")?;
    let output = BufReader::new(child.stdout.take().context("no output")?);
    let mut parquet = Parquet {
        child,
        input,
        output,
        directory,
    };
    compare(environment, &mut parquet)
}

impl Parquet {
    fn ask(&mut self, what: &str) -> Result<String> {
        writeln!(self.input, "{what}")?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("it ended by itself: {}", self.child.wait()?);
        }
        Ok(line.trim().to_owned())
    }
}

impl Samples for Parquet {
    const STORED: &str = "DuckDB 2.0.1: all days in a file of Parquet, zstd: samples cannot be added or replaced, no series or checksums";
    const READ: &str = "DuckDB 2.0.1 on Parquet, which writes JSON to nowhere: no HTTP, keys, teams, pages or grouping";

    fn store(&mut self, samples: &[Reading]) -> Result<f64> {
        let file = self.directory.join("samples.csv");
        let mut to = BufWriter::new(File::create(&file)?);
        for sample in samples {
            let start = sample.start.map_or(String::new(), |start| start.to_string());
            writeln!(
                to,
                "{},{start},{},{}",
                sample.time,
                sample.kind.unwrap_or_default(),
                sample.value
            )?;
        }
        to.flush()?;
        Ok(self.ask(&format!("store {}", file.display()))?.parse()?)
    }

    fn read(&mut self) -> Result<(u32, Duration)> {
        let line = self.ask("read")?;
        let (count, seconds) = line.split_once(' ').context("no time")?;
        Ok((count.parse()?, Duration::from_secs_f64(seconds.parse()?)))
    }
}

impl Drop for Parquet {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
