//! Results in the documentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::environment::Environment;
use crate::results::Report;
use crate::{plot, table};

/// File of the results.
const RESULTS: &str = "results.json";

/// Writes a report into the documentation. Benchmarks without new results keep the earlier ones. `order` is that of the
/// page.
pub(crate) fn write(environment: &Environment, report: Report, order: &[&str]) -> Result<()> {
    let directory = directory(environment);
    fs::create_dir_all(&directory)?;
    let json = directory.join(RESULTS);
    let report = match json.exists() {
        true => report.over(Report::read(&json)?),
        false => report,
    };
    report.write(&json)?;
    draw(&directory, &report, order)
}

/// Redraws the table and the plots from the latest results.
pub(crate) fn redraw(environment: &Environment, order: &[&str]) -> Result<()> {
    let directory = directory(environment);
    draw(&directory, &Report::read(&directory.join(RESULTS))?, order)
}

fn directory(environment: &Environment) -> PathBuf {
    environment.root.join("tests/bench/results")
}

fn draw(directory: &Path, report: &Report, order: &[&str]) -> Result<()> {
    let found = order.iter().filter_map(|name| report.found.get(*name));
    let file = directory.join("README.md");
    fs::write(&file, page(report, order)).with_context(|| format!("cannot write {}", file.display()))?;
    plot::ratios(
        &directory.join("ratios.svg"),
        found.clone().flat_map(|found| &found.results),
    )?;
    plot::growths(&directory.join("growth.svg"), found.flat_map(|found| &found.growths))
}

fn page(report: &Report, order: &[&str]) -> String {
    let found = order.iter().filter_map(|name| report.found.get(*name));
    let mut measured = BTreeMap::<&str, Vec<String>>::new();
    for name in order {
        if let Some(found) = report.found.get(*name) {
            let of = format!("{name} ({})", found.of);
            measured.entry(&found.machine).or_default().push(of);
        }
    }
    let measured = measured
        .iter()
        .map(|(machine, of)| format!("- On {machine}: {}\n", of.join(", ")));
    format!(
        "# The latest results\n\n\
        Written by `cargo xtask bench --write`; [what they are of, and how to repeat them](../README.md). The numbers of all \
        rounds: [results.json](results.json).\n\n\
        The load, the reference and what is measured shared the processors of one machine, which stands below.\n\n\
        ![Ratios to their references, with what the rounds were from and to](ratios.svg)\n\n\
        ![Growth of the cost by what is stored](growth.svg)\n\n\
        {}\n\
        Measured:\n\n\
        {}",
        table::markdown(found),
        measured.collect::<String>(),
    )
}
