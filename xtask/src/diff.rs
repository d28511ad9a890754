//! `cargo xtask diff [REV] [--check]`: changes of the document, affected parties, and the version bump.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wearlab_codegen::{Bump, Change, Impact, Input, diff};

use crate::git;
use crate::spec::{self, SPEC};

const MANIFEST: &str = "Cargo.toml";
const CHANGELOG: &str = "CHANGELOG.md";
const VERDICTS: [&str; 5] = [
    "breaks clients and implementers",
    "breaks clients",
    "breaks implementers",
    "additive",
    "documentation",
];

type Version = [u64; 3];

/// Compares the document with the one at `rev`, and with `check` fails if a breaking change is missing in the changelog
/// or the version bump is missing.
///
/// Without `rev`, the older document is that of the latest release. If there is none, a check has nothing to compare
/// with, and a plain run uses the branch point.
pub(crate) fn run(root: &Path, rev: Option<&str>, check: bool) -> Result<()> {
    let rev = match (rev, latest_release(root)?) {
        (Some(rev), _) => rev.to_owned(),
        (None, Some(tag)) => tag,
        (None, None) if check => {
            println!("!!!!!!!! SKIPPED: no release `v*` to compare {SPEC} with.");
            println!(
                "!!!!!!!! If there are releases, fetch them (`git fetch --tags --unshallow`), or name a revision."
            );
            return Ok(());
        }
        (None, None) => branch_point(root),
    };
    let was = git::show(root, &rev, SPEC)?;
    let is = spec::read(root)?;
    let old_name = format!("{rev}:{SPEC}");
    let (old_files, new_files) = (spec::files_of(root, &rev), spec::files(root));
    let old = Input::new(&old_name, &was).with_files(&old_files);
    let new = Input::new(SPEC, &is).with_files(&new_files);
    let changes = diff(old, new)
        .with_context(|| format!("cannot compare with {rev}; `regenerate` must support both documents"))?;
    let old = version(&git::show(root, &rev, MANIFEST)?).with_context(|| format!("{rev}:{MANIFEST}"))?;
    let new = version(&read(root, MANIFEST)?).context(MANIFEST)?;
    print(&changes);
    let bump = Bump::needed(&changes, old[0]);
    let wanted = bump.after(old);
    let count = changes.len();
    let breaking: Vec<_> = changes.iter().filter(|c| c.impact() == Impact::Breaking).collect();
    println!(
        "{count} change(s) since {rev}, {} of them breaking; version bump: {bump} ({} -> {}, now {})",
        breaking.len(),
        text(old),
        text(wanted),
        text(new)
    );
    if !check || breaking.is_empty() {
        return Ok(());
    }
    let mut todo = unwritten(&read(root, CHANGELOG)?, &breaking, new);
    if new < wanted {
        todo.push(format!(
            "{MANIFEST}: set `version = \"{}\"` in [workspace.package]; it is {}, and was {} at {rev}",
            text(wanted),
            text(new),
            text(old)
        ));
    }
    if todo.is_empty() {
        return Ok(());
    }
    bail!("breaking changes since {rev} need:\n  {}", todo.join("\n  "))
}

fn print(changes: &[Change]) {
    for verdict in VERDICTS {
        let group: Vec<_> = changes.iter().filter(|change| change.verdict() == verdict).collect();
        for change in &group {
            println!("{change}");
        }
        if !group.is_empty() {
            println!();
        }
    }
}

/// Returns the missing changelog entries: each breaking change must be mentioned by a name of its part.
fn unwritten(changelog: &str, breaking: &[&Change], new: Version) -> Vec<String> {
    let entries = entries(changelog, new);
    let missing: BTreeSet<_> = breaking
        .iter()
        .filter(|change| !change.names.iter().any(|name| names(&entries, name)))
        .map(|change| change.names.join(" or "))
        .collect();
    missing
        .into_iter()
        .map(|names| {
            format!("{CHANGELOG}: under Unreleased, in `### Spec` or `### Breaking`, an entry that names {names}")
        })
        .collect()
}

/// Returns the text below `### Spec` and `### Breaking` of `Unreleased` or of the current version.
fn entries(changelog: &str, version: Version) -> String {
    let version = text(version);
    let (mut open, mut wanted, mut entries) = (false, false, String::new());
    for line in changelog.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let title = title.split_whitespace().next().unwrap_or_default();
            let title = title.trim_matches(['[', ']']);
            (open, wanted) = (title == "Unreleased" || title == version, false);
        } else if let Some(title) = line.strip_prefix("### ") {
            wanted = open && ["Spec", "Breaking"].contains(&title.trim());
        } else if wanted {
            entries.push_str(line);
            entries.push('\n');
        }
    }
    entries
}

/// Returns whether a text contains a name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(part) && !after.starts_with(part)
    })
}

fn text([major, minor, patch]: Version) -> String {
    format!("{major}.{minor}.{patch}")
}

/// Returns the version in `[workspace.package]`.
fn version(manifest: &str) -> Result<Version> {
    let mut lines = manifest.lines().skip_while(|line| line.trim() != "[workspace.package]");
    lines.next();
    lines
        .take_while(|line| !line.starts_with('['))
        .find_map(|line| line.strip_prefix("version")?.trim().strip_prefix('='))
        .and_then(|value| numbers(value.trim().trim_matches('"')))
        .context("no version such as \"0.1.0\" in [workspace.package]")
}

fn numbers(version: &str) -> Option<Version> {
    let parts: Vec<u64> = version
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    parts.try_into().ok()
}

/// Returns the highest tag `v1.2.3` among the ancestors of the working tree.
fn latest_release(root: &Path) -> Result<Option<String>> {
    if !root.join(".git").exists() {
        return Ok(None);
    }
    let tags = git::run(root, &["tag", "--list", "v*", "--merged", "HEAD"])?;
    let releases = tags
        .lines()
        .filter_map(|tag| numbers(tag.strip_prefix('v')?).map(|version| (version, tag)));
    Ok(releases.max().map(|(_, tag)| tag.to_owned()))
}

/// Returns the branch point from main.
fn branch_point(root: &Path) -> String {
    let found = ["origin/main", "main"]
        .iter()
        .find_map(|main| git::run(root, &["merge-base", "HEAD", main]).ok());
    found.map_or("HEAD".to_owned(), |commit| commit.trim().chars().take(12).collect())
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{CHANGELOG, MANIFEST, entries, git, latest_release, names, numbers, run};

    const DEVICES: &str = "spec/devices.yaml";

    /// Required properties that only `Device` has in this order.
    const REQUIRED: &str = "required: [id, user_id, provider, source_type]";

    fn manifest(version: &str) -> String {
        format!("[workspace.package]\nversion = \"{version}\"\n")
    }

    fn write(root: &Path, file: &str, text: &str) {
        fs::write(root.join(file), text).expect("a file");
    }

    /// Creates a repository with the project's document.
    fn repository() -> tempfile::TempDir {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let root = scratch.path();
        crate::spec::copy_to(root);
        write(root, MANIFEST, &manifest("0.1.9"));
        write(root, CHANGELOG, "# Changelog\n\n## Unreleased\n\n## 0.1.9\n");
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
        git::run(root, &["init", "--quiet"]).expect("a repository");
        git::run(root, &["add", "."]).expect("added files");
        let commit = [&identity[..], &["commit", "--quiet", "--message", "spec: Begin"]].concat();
        git::run(root, &commit).expect("a commit");
        scratch
    }

    #[test]
    fn a_breaking_change_needs_an_entry_and_a_version() {
        let scratch = repository();
        let root = scratch.path();
        run(root, None, true).expect("nothing is released: nothing to check");
        git::run(root, &["tag", "v0.1.9"]).expect("a tag");
        run(root, None, true).expect("nothing changed");

        let text = fs::read_to_string(root.join(DEVICES)).expect("a text");
        assert!(text.contains(REQUIRED), "{REQUIRED:?} is not in the document");
        write(
            root,
            DEVICES,
            &text.replacen(REQUIRED, "required: [id, user_id, source_type]", 1),
        );
        run(root, None, false).expect("a plain run only reports");
        let error = run(root, None, true).expect_err("neither is there").to_string();
        assert!(error.contains("an entry that names Device"), "{error}");
        assert!(error.contains("set `version = \"0.2.0\"`"), "{error}");

        let entry = "# Changelog\n\n## Unreleased\n\n### Spec\n\n- `Device.provider` may be absent.\n\n## 0.1.9\n";
        write(root, CHANGELOG, entry);
        let error = run(root, Some("v0.1.9"), true).expect_err("no version").to_string();
        assert!(!error.contains(CHANGELOG), "{error}");
        write(root, MANIFEST, &manifest("0.2.0"));
        run(root, None, true).expect("both are there");
        write(root, CHANGELOG, &entry.replace("Unreleased", "[0.2.0] - 2030-01-01"));
        run(root, None, true).expect("the entry may be under the current version");
        assert!(run(root, Some("v9.9.9"), true).is_err(), "there is no such revision");
    }

    #[test]
    fn the_latest_release_is_the_highest() {
        let scratch = repository();
        for tag in ["v0.9.0", "v0.10.0", "v0.10.0-rc.1", "vague"] {
            git::run(scratch.path(), &["tag", tag]).expect("a tag");
        }
        assert_eq!(
            latest_release(scratch.path()).expect("tags").as_deref(),
            Some("v0.10.0")
        );
        assert_eq!(numbers("1.2"), None);
    }

    #[test]
    fn entries_name_parts_as_words() {
        let text = "## Unreleased\n### Added\n- `User`\n### Spec\n- `UserList`\n## 0.1.0\n### Spec\n- `Device`\n";
        let entries = entries(text, [0, 2, 0]);
        assert!(names(&entries, "UserList") && !names(&entries, "User") && !names(&entries, "Device"));
    }
}
