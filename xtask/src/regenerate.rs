//! `cargo xtask regenerate [--check]`: writes the generator's files, or compares them with those on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use similar::TextDiff;
use wearlab_codegen::{GENERATED_DIRECTORIES, GeneratedFile, Input};

use crate::providers;
use crate::spec::{self, SPEC};

const OVERVIEW: &str = "spec/README.md";
const BEGIN: &str = "<!-- begin generated: assumptions -->\n";
const END: &str = "<!-- end generated: assumptions -->\n";
const DIFF_LINES: usize = 20;

/// File that is not up to date with the document.
enum Change {
    Write { before: Option<String>, after: String },
    Delete,
}

/// Writes the generated files, or with `check` reports those that are not up to date.
pub(crate) fn run(root: &Path, check: bool) -> Result<()> {
    let (text, read) = (spec::read(root)?, spec::files(root));
    let generated = Input::new(SPEC, &text).with_files(&read).generate()?;
    let mut files = generated.files;
    files.push(overview(root, &generated.assumptions)?);
    let connectors = providers::generate(root)?;
    files.extend(connectors.files);
    let own = connectors.directories.iter().map(String::as_str);
    let directories: Vec<_> = GENERATED_DIRECTORIES.into_iter().chain(own).collect();
    let changes = changes(root, &directories, files)?;
    if check { report(&changes) } else { apply(root, &changes) }
}

/// Writes the files of `directories`, which hold nothing else, where they differ from those on disk.
pub(crate) fn write(root: &Path, directories: &[&str], files: Vec<GeneratedFile>) -> Result<()> {
    apply(root, &changes(root, directories, files)?)
}

/// Returns `spec/README.md` with the table of assumptions in its marked region.
fn overview(root: &Path, table: &str) -> Result<GeneratedFile> {
    let text = fs::read_to_string(root.join(OVERVIEW)).with_context(|| format!("cannot read {OVERVIEW}"))?;
    let region = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| rest.split_once(END).map(|(_, after)| (before, after)));
    let Some((before, after)) = region else {
        bail!(
            "{OVERVIEW} has no region between `{}` and `{}`",
            BEGIN.trim(),
            END.trim()
        );
    };
    Ok(GeneratedFile {
        path: OVERVIEW.to_owned(),
        text: format!("{before}{BEGIN}\n{table}\n{END}{after}"),
    })
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::run;

    const DEVICES: &str = "crates/models/src/generated/devices.rs";

    fn scratch() -> tempfile::TempDir {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(scratch.path().join("spec")).expect("a directory");
        for entry in fs::read_dir(crate::root().join("spec")).expect("the files of the document") {
            let file = entry.expect("an entry");
            if file.path().is_file() {
                fs::copy(file.path(), scratch.path().join("spec").join(file.file_name())).expect("a copy");
            }
        }
        scratch
    }

    fn edit(file: &Path, from: &str, to: &str) {
        let text = fs::read_to_string(file).expect("a text");
        assert!(text.contains(from), "{from:?} is not in the file");
        fs::write(file, text.replacen(from, to, 1)).expect("an edit");
    }

    #[test]
    fn check_writes_nothing_and_names_what_is_stale() {
        let scratch = scratch();
        let root = scratch.path();
        assert!(run(root, true).is_err(), "nothing is generated yet");
        assert!(!root.join("crates").exists(), "a check writes nothing");

        run(root, false).expect("a first run");
        run(root, true).expect("a second run has nothing to do");

        let (devices, stray) = (root.join(DEVICES), root.join("crates/client/src/generated/stray.rs"));
        edit(&devices, "pub struct Device", "pub struct Gadget");
        fs::write(&stray, "").expect("a stray file");
        let error = run(root, true).expect_err("two files differ");
        assert!(error.to_string().contains("2 generated file(s)"), "{error}");
        assert!(error.to_string().contains("cargo xtask regenerate"), "{error}");
        assert!(stray.exists());

        run(root, false).expect("a run fixes it");
        assert!(!stray.exists(), "a stale file is deleted");
        run(root, true).expect("all is up to date");
    }

    #[test]
    fn only_what_changed_is_written() {
        let scratch = scratch();
        let root = scratch.path();
        run(root, false).expect("a first run");
        let time = |file: &str| {
            fs::metadata(root.join(file))
                .and_then(|data| data.modified())
                .expect("a time")
        };
        let (users, devices) = ("crates/models/src/generated/users.rs", DEVICES);
        let before = (time(users), time(devices));
        let property = "        device_id:\n          type: [string, \"null\"]\n";
        let colour = "        colour:\n          type: string\n          description: The colour.\n";
        edit(
            &root.join("spec/devices.yaml"),
            property,
            &format!("{colour}{property}"),
        );
        run(root, false).expect("a second run");
        assert_eq!(time(users), before.0, "what stays the same is not touched");
        assert_ne!(time(devices), before.1);
        let text = fs::read_to_string(root.join(devices)).expect("a text");
        assert!(text.contains("pub colour: Option<String>"));
    }
}
