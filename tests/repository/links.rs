//! Tests that relative links in the documentation lead to existing files and headings.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Collects the Markdown files below a directory, without build output and installed packages.
fn pages(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let (path, name) = (entry.path(), entry.file_name());
        let is_directory = entry.file_type().expect("a type").is_dir();
        if is_directory && name != "target" && name != "node_modules" && name != ".git" {
            pages(&path, found);
        } else if !is_directory && path.extension() == Some(OsStr::new("md")) {
            found.push(path);
        }
    }
}

/// Returns the lines outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// Returns the targets of the links in a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// Returns the anchor of a heading, as sites for Markdown create it.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(kept).collect::<String>().replace(' ', "-")
}

/// Returns the error of a link target in a page.
fn fault(page: &Path, target: &str) -> Option<&'static str> {
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => page.to_owned(),
        _ => page.with_file_name(path),
    };
    if !file.exists() {
        return Some("there is no such file");
    }
    if fragment.is_empty() || file.extension() != Some(OsStr::new("md")) {
        return None;
    }
    let text = fs::read_to_string(file).expect("a page");
    let mut headings = prose(&text).filter(|line| line.starts_with('#'));
    match headings.any(|heading| anchor(heading) == fragment) {
        true => None,
        false => Some("there is no such heading"),
    }
}

#[test]
fn every_relative_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    pages(&root, &mut found);
    let (mut count, mut wrong) = (0, Vec::new());
    for page in &found {
        let text = fs::read_to_string(page).expect("a page");
        for target in prose(&text).flat_map(targets).filter(|target| !target.contains("://")) {
            count += 1;
            if let Some(fault) = fault(page, target) {
                wrong.push(format!("{}: {target}: {fault}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} links were found");
}
