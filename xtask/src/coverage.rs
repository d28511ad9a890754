//! `cargo xtask coverage PATH...`: the share of documents that the tolerant profile generates.
//!
//! A path is a document, or a directory of them (`*.json`, `*.yaml`). Prints a row for each path and each document of a
//! further directory below one, then the most frequent reasons for leaving something out.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use wearlab_codegen::{Coverage, Input, Measure};

/// Maximum number of printed reasons.
const REASONS: usize = 20;

/// Groups that are also summed up without.
const LARGE: [&str; 4] = ["microsoft.com", "amazonaws.com", "azure.com", "googleapis.com"];

/// Results of one package or document.
#[derive(Default)]
struct Row {
    documents: usize,
    refused: usize,
    bytes: usize,
    slowest: Duration,
    coverage: Coverage,
}

/// Prints the table; with `missing`, also the parts that are left out.
pub(crate) fn run(paths: &[PathBuf], missing: bool) -> Result<()> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for path in paths {
        for (group, file) in documents(path) {
            let row = rows.entry(group).or_default();
            row.documents += 1;
            let Some(coverage) = covered(&file, row) else {
                row.refused += 1;
                continue;
            };
            row.coverage.add(&coverage);
            for part in coverage.missing.iter().filter(|_| missing) {
                println!("{}: {part}", file.display());
            }
        }
    }
    print_rows(&rows);
    let all = sum(rows.values());
    print_counts("reasons to leave an operation out", &all.coverage.reasons);
    print_counts("what is left out or changed of the others", &all.coverage.ignored);
    Ok(())
}

/// The documents below a path, each with its group: the path, or the directory or file right below it.
fn documents(path: &Path) -> Vec<(String, PathBuf)> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if path.is_file() {
        return vec![(name(path), path.to_owned())];
    }
    let mut found = Vec::new();
    for entry in below(path) {
        let group = name(&entry).trim_end_matches(".json").to_owned();
        let mut queue = vec![entry];
        while let Some(next) = queue.pop() {
            if next.is_dir() {
                queue.extend(below(&next));
            } else if next.extension().is_some_and(|kind| kind == "json" || kind == "yaml") {
                found.push((group.clone(), next));
            }
        }
    }
    found
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// The coverage of a document, unless it is rejected as a whole.
fn covered(file: &Path, row: &mut Row) -> Option<Coverage> {
    let text = std::fs::read_to_string(file).ok()?;
    let directory = file.parent()?;
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let name = file.to_string_lossy();
    let began = Instant::now();
    let coverage = Input::new(&name, &text).with_files(&read).coverage();
    row.bytes += text.len();
    row.slowest = row.slowest.max(began.elapsed());
    match coverage {
        Ok(coverage) => Some(coverage),
        Err(refused) => {
            let first = refused.list().first();
            let (line, column) = first.map_or((1, 1), |first| refused.line_column(first.span.start));
            let message = first.map_or("", |first| &first.message);
            eprintln!("{name}:{line}:{column}: {message}");
            None
        }
    }
}

fn sum<'r>(rows: impl Iterator<Item = &'r Row>) -> Row {
    let mut all = Row::default();
    for row in rows {
        all.documents += row.documents;
        all.refused += row.refused;
        all.bytes += row.bytes;
        all.slowest = all.slowest.max(row.slowest);
        all.coverage.add(&row.coverage);
    }
    all
}

fn print_rows(rows: &BTreeMap<String, Row>) {
    println!("percent of each; `typed` is the share of properties that are not any JSON\n");
    print!("{:>10}", "operations");
    for measure in Measure::ALL {
        print!("  {}", measure.heading());
    }
    println!("  refused      ms  document");
    for (group, row) in rows {
        print_row(group, row);
    }
    if rows.len() < 2 {
        return;
    }
    if rows.keys().any(|group| LARGE.contains(&group.as_str())) {
        let others = rows.iter().filter(|(group, _)| !LARGE.contains(&group.as_str()));
        print_row(
            "outside Microsoft, AWS, Azure and Google",
            &sum(others.map(|(_, row)| row)),
        );
    }
    print_row("all", &sum(rows.values()));
}

fn print_row(name: &str, row: &Row) {
    print!("{:>10}", row.coverage.share(Measure::Generated).all);
    for measure in Measure::ALL {
        let width = measure.heading().len();
        print!("  {:>width$}", row.coverage.share(measure));
    }
    let refused = format!("{}/{}", row.refused, row.documents);
    println!("  {refused:>7}  {:>6}  {name}", row.slowest.as_millis());
}

fn print_counts(title: &str, counts: &BTreeMap<&'static str, usize>) {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(code, count)| (Reverse(**count), **code));
    println!("\n{title}:");
    for (code, count) in counts.iter().take(REASONS) {
        println!("{count:>9}  {code}");
    }
}
