//! Import of users with connections and devices.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use wearlab_tests::process::usage::memory;

use crate::environment::{Environment, PAGE_CACHE};
use crate::inserts::{self, Rows, TOGETHER};
use crate::measure::{alternate_cold, in_turns};
use crate::population;
use crate::results::{Comparison, Found, Growth, Printed, Target};

/// Tables with rows of a user, in the order of writing. Their rows are numbered in that order.
pub(crate) const TABLES: [(&str, &str); 3] = [
    (
        "users",
        "SELECT {columns} FROM users WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    ),
    (
        "connections",
        "SELECT {columns} FROM connections WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    ),
    (
        "devices",
        "SELECT {columns} FROM devices WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    ),
];
/// Tables that the rows refer to, which are written once.
pub(crate) const AROUND: [&str; 3] = ["organisations", "teams", "keys"];

/// Measurements of an import.
struct ImportCost {
    took: Duration,
    /// Peak memory in KiB.
    peak: u64,
}

pub(crate) fn run(environment: &Environment) -> Result<Found> {
    let most = environment.scale.most();
    let rows = f64::from(most) * TABLES.len() as f64;
    let directory = environment.scratch("lines")?;
    let lines = directory.join("lines.ndjson");
    write_lines(&lines, most)?;
    let filled = environment.stored(most)?;
    let mut peaks = Vec::new();
    let result = Comparison {
        what: format!("import of {most} users, each with a connection and a device"),
        reference: "bare rusqlite inserts of the same rows, as many together, into the same tables and indexes".into(),
        unit: "rows/s".into(),
        target: Target::AtLeast(0.5),
        // Each takes long enough to be warm.
        rounds: alternate_cold(
            environment.scale.rounds.min(3),
            || {
                let imported = import(environment, &lines)?;
                peaks.push(imported.peak);
                Ok(rows / imported.took.as_secs_f64())
            },
            || Ok(rows / bare(environment, &filled, most)?.as_secs_f64()),
        )?,
    };
    std::fs::remove_file(&lines)?;
    let [fewer, few, _] = environment.scale.users;
    let mut sizes = [fewer, few].map(|users| (users, directory.join(format!("{users}.ndjson"))));
    for (users, file) in &sizes {
        write_lines(file, *users)?;
    }
    let fewest = import(environment, &sizes[0].1)?.peak;
    let mut costs = in_turns(1, &mut sizes, |(users, file)| {
        Ok(import(environment, file)?.took.as_secs_f64() * 1e6 / f64::from(*users))
    })?;
    // The cost of the largest number of users is measured already.
    let rates = result.rounds.ours.iter();
    costs.push(rates.map(|rate| 1e6 * TABLES.len() as f64 / rate).collect());
    let most_memory = peaks.into_iter().max().unwrap_or_default();
    Ok(Found {
        results: vec![result],
        growths: vec![Growth::by_users("import of a user", environment.scale.users, costs).at_most(1.6)],
        printed: vec![Printed {
            what: format!("memory of an import of {most} users, in MiB"),
            value: format!("{:.1}; of {} users {:.1}", mib(most_memory), sizes[0].0, mib(fewest)),
            target: Some(format!("at most the page cache of {PAGE_CACHE} more")),
            met: mib(most_memory) <= mib(fewest) + f64::from(PAGE_CACHE),
        }],
        ..Found::default()
    })
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn write_lines(file: &Path, users: u32) -> Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 20, File::create(file)?);
    population::lines(users).try_for_each(|line| writeln!(writer, "{line}"))?;
    Ok(writer.flush()?)
}

/// Imports a file into a new store.
fn import(environment: &Environment, lines: &Path) -> Result<ImportCost> {
    let wearlab = environment.wearlab(&environment.scratch("imported")?, &["log.filter=warn"]);
    run_watched(wearlab.command(&["import"]).arg(lines))
}

/// Runs a command to its end, and measures its memory meanwhile.
fn run_watched(command: &mut Command) -> Result<ImportCost> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let (pid, mut peak) = (child.id(), 0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak = memory(pid).map_or(peak, |memory| memory.peak);
        thread::sleep(Duration::from_millis(20));
    };
    ensure!(status.success(), "the command failed: {status}");
    let took = started.elapsed();
    Ok(ImportCost { took, peak })
}

/// Inserts the rows of a store into a new file.
fn bare(environment: &Environment, filled: &Path, users: u32) -> Result<Duration> {
    let from = inserts::open(filled)?;
    let mut to = inserts::open_to_write(&environment.scratch("bare")?.join("bare.db"))?;
    inserts::make_tables(&from, &to)?;
    for table in AROUND {
        inserts::copy(&from, &to, table)?;
    }
    Rows::new(&from, &TABLES)?.insert(&mut to, users, TOGETHER / TABLES.len())
}
