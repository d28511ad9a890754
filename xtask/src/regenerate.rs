//! `cargo xtask regenerate [--check]`: the generator's files, compared with those on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use similar::TextDiff;
use wearlab_codegen::{GENERATED_FOLDERS, GeneratedFile, generate};

const SPEC: &str = "spec/openapi.yaml";
const OVERVIEW: &str = "spec/README.md";
const BEGIN: &str = "<!-- begin generated: assumptions -->\n";
const END: &str = "<!-- end generated: assumptions -->\n";
const DIFF_LINES: usize = 20;

/// A file that differs from what the document gives.
enum Change {
    Write { before: Option<String>, after: String },
    Delete,
}

/// Brings the generated files in line with the document, or with `check` says where they are not.
pub(crate) fn run(root: &Path, check: bool) -> Result<()> {
    let text = fs::read_to_string(root.join(SPEC)).with_context(|| format!("cannot read {SPEC}"))?;
    let generated = generate(SPEC, &text)?;
    let mut files = generated.files;
    files.push(overview(root, &generated.assumptions)?);
    let changes = changes(root, files)?;
    if check { report(&changes) } else { apply(root, &changes) }
}

/// `spec/README.md` with the table of choices in its marked region.
fn overview(root: &Path, table: &str) -> Result<GeneratedFile> {
    let text = fs::read_to_string(root.join(OVERVIEW)).with_context(|| format!("cannot read {OVERVIEW}"))?;
    let region = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| rest.split_once(END).map(|(_, after)| (before, after)));
    let Some((before, after)) = region else {
        bail!("{OVERVIEW} has no region between `{}` and `{}`", BEGIN.trim(), END.trim());
    };
    Ok(GeneratedFile {
        path: OVERVIEW.to_owned(),
        text: format!("{before}{BEGIN}\n{table}\n{END}{after}"),
    })
}

fn changes(root: &Path, files: Vec<GeneratedFile>) -> Result<BTreeMap<String, Change>> {
    let mut changes = BTreeMap::new();
    for folder in GENERATED_FOLDERS {
        for path in listed(root, folder)? {
            if !files.iter().any(|file| file.path == path) {
                changes.insert(path, Change::Delete);
            }
        }
    }
    for file in files {
        let before = fs::read_to_string(root.join(&file.path)).ok();
        if before.as_ref() != Some(&file.text) {
            changes.insert(file.path, Change::Write { before, after: file.text });
        }
    }
    Ok(changes)
}

/// The files below a folder, relative to the workspace.
fn listed(root: &Path, folder: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return Ok(files) };
    for entry in entries {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            files.extend(listed(root, &path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn apply(root: &Path, changes: &BTreeMap<String, Change>) -> Result<()> {
    for (path, change) in changes {
        let full = root.join(path);
        match change {
            Change::Delete => {
                fs::remove_file(&full).with_context(|| format!("cannot delete {path}"))?;
                println!("deleted {path}");
            }
            Change::Write { after, .. } => {
                if let Some(folder) = full.parent() {
                    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder of {path}"))?;
                }
                fs::write(&full, after).with_context(|| format!("cannot write {path}"))?;
                println!("wrote {path}");
            }
        }
    }
    if changes.is_empty() {
        println!("everything is up to date with {SPEC}");
    }
    Ok(())
}

fn report(changes: &BTreeMap<String, Change>) -> Result<()> {
    for (path, change) in changes {
        match change {
            Change::Delete => println!("{path}: belongs to nothing in {SPEC}"),
            Change::Write { before: None, .. } => println!("{path}: missing"),
            Change::Write { before: Some(before), after } => println!("{path}: stale\n{}", short_diff(before, after)),
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    bail!("{} generated file(s) are not what {SPEC} gives: run `cargo xtask regenerate`", changes.len())
}

fn short_diff(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after).unified_diff().context_radius(1).to_string();
    let mut lines: Vec<_> = diff.lines().take(DIFF_LINES).collect();
    if diff.lines().count() > DIFF_LINES {
        lines.push("  ...");
    }
    lines.join("\n")
}
