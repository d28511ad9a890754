//! `cargo xtask regenerate --spec FILE --out DIR`: a workspace of its own for any document.
//!
//! The hand-written parts of the generated crates are copied rather than depended on: the generated parts are modules of
//! the same crates, which name the types of the document, so that one published crate could not serve two documents.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wearlab_codegen::{GENERATED_DIRECTORIES, Input, Profile};

/// The crates that are generated into.
const CRATES: [&str; 5] = ["models", "client", "server", "cli", "mock"];

/// Hand-written modules of the models about events. They know the payloads of our own, so others have none.
const EVENTS: [&str; 4] = ["consume", "event", "unknown_event", "webhook"];

/// Writes the workspace. What an earlier run generated into it is replaced.
pub(crate) fn write(root: &Path, spec: &Path, out: &Path, profile: Profile) -> Result<()> {
    let text = fs::read_to_string(spec).with_context(|| format!("cannot read {}", spec.display()))?;
    let directory = spec.parent().unwrap_or(Path::new(""));
    let read = |name: &str| fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let name = spec.to_string_lossy();
    let input = Input::new(&name, &text).with_files(&read).with_profile(profile);
    let generated = input.generate()?;
    if !generated.notes.list().is_empty() {
        println!("{}\n", generated.notes);
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    const MEMBERS: &str = "members = [\"crates/*\", \"tests\", \"xtask\"]";
    if !manifest.contains(MEMBERS) {
        bail!("Cargo.toml has no line `{MEMBERS}`");
    }
    put(
        &out.join("Cargo.toml"),
        &manifest.replace(MEMBERS, "members = [\"crates/*\"]"),
    )?;
    copy_file(root, out, "Cargo.lock")?;
    for name in CRATES {
        for file in ["Cargo.toml", "README.md"] {
            copy_file(root, out, &format!("crates/{name}/{file}"))?;
        }
        copy(root, out, &format!("crates/{name}/src"))?;
    }
    without_events(out)?;
    for directory in GENERATED_DIRECTORIES {
        let directory = out.join(directory);
        if directory.exists() {
            fs::remove_dir_all(&directory).with_context(|| format!("cannot replace {}", directory.display()))?;
        }
    }
    for file in &generated.files {
        put(&out.join(&file.path), &file.text)?;
    }
    println!("wrote {} generated files into {}", generated.files.len(), out.display());
    Ok(())
}

/// Removes the modules about events, and the lines that name them.
fn without_events(out: &Path) -> Result<()> {
    let source = out.join("crates/models/src");
    for module in EVENTS {
        let (file, directory) = (source.join(format!("{module}.rs")), source.join(module));
        if directory.is_dir() {
            fs::remove_dir_all(&directory).with_context(|| format!("cannot remove {}", directory.display()))?;
        } else {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
    }
    for name in ["lib.rs", "codegen.rs"] {
        let path = source.join(name);
        let text = fs::read_to_string(&path)?;
        let names = |line: &str| {
            EVENTS.iter().any(|module| {
                line.ends_with(&format!("mod {module};"))
                    || line.contains(&format!("use crate::{module}::"))
                    || line.starts_with(&format!("pub use {module}::"))
            })
        };
        // The examples of the crate are about our own types.
        let mut lines: Vec<_> = text
            .lines()
            .filter(|line| !names(line) && !line.starts_with("//!"))
            .collect();
        lines.retain(|line| *line != "#[cfg(feature = \"webhooks\")]");
        put(&path, &format!("//! The types of the service.\n{}\n", lines.join("\n")))?;
    }
    Ok(())
}

/// Copies a directory without its generated part.
fn copy(root: &Path, out: &Path, directory: &str) -> Result<()> {
    let entries = fs::read_dir(root.join(directory)).with_context(|| format!("cannot read {directory}"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{directory}/{name}");
        if !entry.file_type()?.is_dir() {
            copy_file(root, out, &path)?;
        } else if name != "generated" {
            copy(root, out, &path)?;
        }
    }
    Ok(())
}

fn copy_file(root: &Path, out: &Path, path: &str) -> Result<()> {
    let text = fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
    put(&out.join(path), &text)
}

/// Leaves a file alone that has the text already, so that a second run has nothing to build.
fn put(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
