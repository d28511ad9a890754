//! Share of third-party documents that the tolerant profile supports: `cargo run -p wearlab-codegen --example coverage
//! -- PATH...`.
//!
//! A path is a document, or a directory of them (`*.json`, `*.yaml`). Prints a row for each path and each document of a
//! further directory below one, then the most frequent reasons for leaving an operation out.

#![expect(clippy::print_stdout, reason = "a command line tool")]

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wearlab_codegen::{Coverage, Input};

/// Maximum number of printed reasons.
const REASONS: usize = 10;

/// Results of one package or document.
#[derive(Default)]
struct Row {
    documents: usize,
    refused: usize,
    operations: usize,
    supported: usize,
    bytes: usize,
    slowest: Duration,
}

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        eprintln!("usage: coverage PATH...");
        return ExitCode::from(2);
    }
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let (mut reasons, mut ignored) = (BTreeMap::new(), BTreeMap::new());
    for path in &paths {
        for (group, file) in documents(path) {
            let row = rows.entry(group).or_default();
            row.documents += 1;
            let Some(coverage) = covered(&file, row) else {
                row.refused += 1;
                continue;
            };
            row.operations += coverage.operations;
            row.supported += coverage.supported;
            for (code, count) in coverage.reasons {
                *reasons.entry(code).or_insert(0) += count;
            }
            for (code, count) in coverage.ignored {
                *ignored.entry(code).or_insert(0) += count;
            }
        }
    }
    print_rows(&rows);
    print_counts("reasons to leave an operation out", reasons);
    print_counts("what is left out of the others", ignored);
    ExitCode::SUCCESS
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

fn print_rows(rows: &BTreeMap<String, Row>) {
    println!("supported  operations  documents  refused      bytes  slowest  group");
    let others = ["microsoft.com", "amazonaws.com", "azure.com", "googleapis.com"];
    let all: Vec<_> = rows.values().collect();
    let rest = rows.iter().filter(|(group, _)| !others.contains(&group.as_str()));
    let rest: Vec<_> = rest.map(|(_, row)| row).collect();
    for (group, row) in rows {
        print_row(group, &[row]);
    }
    print_row("outside Microsoft, AWS, Azure and Google", &rest);
    print_row("all", &all);
}

fn print_row(name: &str, rows: &[&Row]) {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(|row| of(row)).sum::<usize>();
    let operations = sum(|row| row.operations);
    let share = 100.0 * sum(|row| row.supported) as f64 / operations.max(1) as f64;
    let slowest = rows.iter().map(|row| row.slowest).max().unwrap_or_default();
    println!(
        "{share:>8.1}%  {operations:>10}  {:>9}  {:>7}  {:>9}  {:>5} ms  {name}",
        sum(|row| row.documents),
        sum(|row| row.refused),
        sum(|row| row.bytes),
        slowest.as_millis(),
    );
}

fn print_counts(title: &str, counts: BTreeMap<&'static str, usize>) {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(code, count)| (Reverse(*count), *code));
    println!("\n{title}:");
    for (code, count) in counts.iter().take(REASONS) {
        println!("{count:>9}  {code}");
    }
}
