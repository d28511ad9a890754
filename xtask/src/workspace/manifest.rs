//! Manifest of a generated workspace: its crates, the kit, and the versions that this workspace has of the rest.

use anyhow::{Context, Result};

use super::choice::Choice;
use super::kit::Kit;
use super::names::Names;

/// Third-party dependencies that generated code names.
const THIRD_PARTY: [&str; 3] = ["bon", "schemars", "serde"];

/// Returns the manifest. `ours` is that of this workspace.
pub(super) fn workspace(ours: &str, names: &Names, kit: &Kit, choice: &Choice) -> Result<String> {
    let line = |key: &str| {
        let found = ours.lines().find(|line| line.starts_with(&format!("{key} = ")));
        found.with_context(|| format!("Cargo.toml has no line `{key} = ...`"))
    };
    let mut text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n\n[workspace.package]\nversion = \"0.1.0\"\n{}\n{}\n\n\
         [workspace.dependencies]\n",
        line("edition")?,
        line("rust-version")?
    );
    // TLS of the client is a choice of the crates that use it.
    let features = |part: &str| match part {
        "client" => ", default-features = false",
        _ => "",
    };
    for part in ["cli", "client", "models"].into_iter().filter(|part| choice.has(part)) {
        let features = features(part);
        text += &format!("{} = {{ path = \"crates/{part}\"{features} }}\n", names.package(part));
    }
    text.push('\n');
    for part in ["cli", "client", "mcp", "mock", "server", "types"] {
        // The models depend on the types.
        if part != "types" && !choice.has(part) {
            continue;
        }
        let features = features(part);
        let directory = format!("kit-{part}");
        text += &format!("wearlab-{directory} = {{ {}{features} }}\n", kit.keys(&directory));
    }
    text.push('\n');
    for key in THIRD_PARTY {
        text += &format!("{}\n", line(key)?);
    }
    text += "\n# Debug builds are what everyone waits for: keep line numbers, drop the rest.\n[profile.dev]\n\
             debug = \"line-tables-only\"\n\n[profile.dev.package.\"*\"]\ndebug = false\n";
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::workspace;
    use crate::workspace::choice::Choice;
    use crate::workspace::kit::Kit;
    use crate::workspace::names::Names;

    #[test]
    fn the_manifest_has_the_kit_and_the_versions_of_this_workspace() {
        let ours = include_str!("../../../Cargo.toml");
        let names = Names::new("Petstore", None).expect("names");
        let text =
            workspace(ours, &names, &Kit::of(Some("0.1.0"), Path::new("/")), &Choice::all()).expect("has all parts");
        for line in [
            "petstore-models = { path = \"crates/models\" }",
            "wearlab-kit-client = { version = \"0.1.0\", default-features = false }",
            "serde = { version = \"1\", features = [\"derive\"] }",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
