//! Manifests of a generated workspace: those of Wearlab, without its own metadata.

use std::path::Path;

use anyhow::{Context, Result, bail};

const MEMBERS: &str = "members = [\"crates/*\", \"examples/connector\", \"tests\", \"xtask\"]";
const DEPENDENCIES: &str = "[workspace.dependencies]";
/// The profile of a crate that is not copied.
const PROFILE: &str =
    "\n# Tests search for diagnoses thousands of times.\n[profile.dev.package.wearlab-diagnoses]\nopt-level = 2\n";
/// Keys about the owner of the crates. The licence is that of the copied parts.
const OURS: [&str; 3] = ["authors", "repository", "keywords"];

/// Returns the manifest of the workspace, with only the dependencies of its crates.
pub(super) fn workspace(root: &Path, text: &str, crates: &[String]) -> Result<String> {
    for part in [MEMBERS, DEPENDENCIES, PROFILE] {
        if !text.contains(part) {
            bail!("Cargo.toml has no line `{}`", part.trim());
        }
    }
    let kit = root.join("crates/kit-");
    let text = text.replace(MEMBERS, "members = [\"crates/*\"]").replace(PROFILE, "");
    let text = text.replace("\"crates/kit-", &format!("\"{}", kit.display()));
    let (head, rest) = text.split_once(DEPENDENCIES).context("no dependencies")?;
    let (dependencies, tail) = rest.split_once("\n[").context("nothing follows the dependencies")?;
    let is_used = |line: &&str| {
        let name = line.split(' ').next().unwrap_or("");
        let uses = |text: &String| {
            text.lines().any(|line| {
                line.starts_with(&format!("{name}.workspace")) || line.starts_with(&format!("{name} = {{ workspace"))
            })
        };
        line.is_empty() || crates.iter().any(uses)
    };
    let used: Vec<_> = dependencies.lines().filter(is_used).collect();
    Ok(format!(
        "{}{DEPENDENCIES}{}\n\n[{tail}",
        without_ours(head),
        used.join("\n")
    ))
}

/// Returns the manifest of a crate, without tests and their dependencies, because tests are not copied.
pub(super) fn package(text: &str) -> String {
    let mut kept = String::new();
    let mut is_kept = true;
    for line in without_ours(text).split_inclusive('\n') {
        if line.starts_with('[') {
            is_kept = line.trim_end() != "[dev-dependencies]";
        }
        if is_kept {
            kept.push_str(line);
        }
    }
    kept
}

fn without_ours(text: &str) -> String {
    let is_ours = |line: &str| {
        let key = line.split([' ', '.']).next().unwrap_or("");
        OURS.contains(&key)
    };
    text.split_inclusive('\n').filter(|line| !is_ours(line)).collect()
}

/// Returns the description of a crate from its manifest.
pub(super) fn description(text: &str) -> Result<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("description = \""));
    line.and_then(|line| line.strip_suffix('"'))
        .context("a manifest without a description")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::workspace;

    #[test]
    fn the_manifest_of_this_workspace_can_be_copied() {
        let ours = include_str!("../../../Cargo.toml");
        let copied =
            workspace(Path::new("/kit"), ours, &["serde.workspace = true\n".to_owned()]).expect("has all parts");
        assert!(copied.contains("\nserde = "));
        for part in ["\nreqwest = ", "wearlab-diagnoses", "xtask"] {
            assert!(ours.contains(part) && !copied.contains(part), "{part}");
        }
    }
}
