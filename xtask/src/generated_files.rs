//! Generated files on disk: written, or compared with those that are generated now.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use similar::TextDiff;
use wearlab_codegen::GeneratedFile;

use crate::spec::SPEC;

/// Maximum number of lines of a difference that are printed.
const DIFF_LINES: usize = 20;

/// File that is not up to date with the document.
enum Change {
    Write { before: Option<String>, after: String },
    Delete,
}

/// Writes the files of `directories`, which hold nothing else, where they differ from those on disk.
pub(crate) fn write(root: &Path, directories: &[&str], files: Vec<GeneratedFile>) -> Result<()> {
    apply(root, &changes(root, directories, files)?)
}

/// Fails if files of `directories` differ from those on disk, and lists them.
pub(crate) fn check(root: &Path, directories: &[&str], files: Vec<GeneratedFile>) -> Result<()> {
    report(&changes(root, directories, files)?)
}

fn changes(root: &Path, directories: &[&str], files: Vec<GeneratedFile>) -> Result<BTreeMap<String, Change>> {
    let mut changes = BTreeMap::new();
    for directory in directories {
        for path in listed(root, directory)? {
            if !files.iter().any(|file| file.path == path) {
                changes.insert(path, Change::Delete);
            }
        }
    }
    for file in files {
        let before = fs::read_to_string(root.join(&file.path)).ok();
        if before.as_ref() != Some(&file.text) {
            changes.insert(
                file.path,
                Change::Write {
                    before,
                    after: file.text,
                },
            );
        }
    }
    Ok(changes)
}

/// Returns the files in a directory, relative to the workspace.
fn listed(root: &Path, directory: &str) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let Ok(entries) = fs::read_dir(root.join(directory)) else {
        return Ok(files);
    };
    for entry in entries {
        let entry = entry?;
        let path = format!("{directory}/{}", entry.file_name().to_string_lossy());
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
                if let Some(directory) = full.parent() {
                    fs::create_dir_all(directory).with_context(|| format!("cannot create the directory of {path}"))?;
                }
                fs::write(&full, after).with_context(|| format!("cannot write {path}"))?;
                println!("wrote {path}");
            }
        }
    }
    if changes.is_empty() {
        println!("everything is up to date with its document");
    }
    Ok(())
}

fn report(changes: &BTreeMap<String, Change>) -> Result<()> {
    for (path, change) in changes {
        match change {
            Change::Delete => println!("{path}: not generated from {SPEC}"),
            Change::Write { before: None, .. } => println!("{path}: missing"),
            Change::Write {
                before: Some(before),
                after,
            } => println!("{path}: stale\n{}", short_diff(before, after)),
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    bail!(
        "{} generated file(s) are not up to date with {SPEC}: run `cargo xtask regenerate`",
        changes.len()
    )
}

fn short_diff(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(1)
        .to_string();
    let mut lines: Vec<_> = diff.lines().take(DIFF_LINES).collect();
    if diff.lines().count() > DIFF_LINES {
        lines.push("  ...");
    }
    lines.join("\n")
}
