//! `cargo xtask regenerate --spec FILE --out DIR`: creates a separate workspace for any document.
//!
//! The hand-written parts of the generated crates are copied, and are not dependencies: the generated parts are modules
//! of the same crates, which name the types of the document, so that one published crate could not serve two documents.

mod manifest;
mod names;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use wearlab_codegen::{GENERATED_DIRECTORIES, Input, Profile};

use names::Names;

/// The crates with generated parts.
const CRATES: [&str; 5] = ["models", "client", "server", "cli", "mock"];

/// Hand-written modules of the models for events. They depend on the payloads of Wearlab, so other documents have none.
const EVENTS: [&str; 4] = ["consume", "event", "unknown_event", "webhook"];

/// Writes the workspace. Generated files of an earlier run are replaced.
pub(crate) fn write(root: &Path, spec: &Path, out: &Path, profile: Profile, name: Option<&str>) -> Result<()> {
    let text = fs::read_to_string(spec).with_context(|| format!("cannot read {}", spec.display()))?;
    let directory = spec.parent().unwrap_or(Path::new(""));
    let read = |name: &str| fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let file = spec.to_string_lossy();
    let input = Input::new(&file, &text).with_files(&read).with_profile(profile);
    let title = input.parse()?["info"]["title"].as_str().unwrap_or_default().to_owned();
    let names = Names::new(&title, name)?;
    let prefix = names.prefix();
    let generated = input.with_prefix(&prefix).generate()?;
    if !generated.notes.list().is_empty() {
        println!("{}\n", generated.notes);
    }
    copy_crates(root, out, &names)?;
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
    println!(
        "wrote {} generated files into {}: {} and others",
        generated.files.len(),
        out.display(),
        names.package("models")
    );
    Ok(())
}

/// Copies the hand-written parts, with the names of the service.
fn copy_crates(root: &Path, out: &Path, names: &Names) -> Result<()> {
    let mut manifests = Vec::new();
    for name in CRATES {
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = manifest::package(&fs::read_to_string(root.join(&path))?);
        let (package, description) = (names.package(name), names.apply(manifest::description(&manifest)?));
        put(&out.join(&path), &names.apply(&manifest))?;
        manifests.push(manifest);
        let readme = format!(
            "# {package}\n\n{description}.\n\n`src/generated` comes from the OpenAPI document; the rest is the same for \
             every document.\n"
        );
        put(&out.join(format!("crates/{name}/README.md")), &readme)?;
        copy(root, out, &format!("crates/{name}/src"), names)?;
        // Documentation and examples of the crate are about the operations of Wearlab.
        let lib = out.join(format!("crates/{name}/src/lib.rs"));
        let text = fs::read_to_string(&lib)?;
        let rest: String = text
            .split_inclusive('\n')
            .skip_while(|line| line.starts_with("//!"))
            .collect();
        put(&lib, &format!("//! {description}.\n{rest}"))?;
    }
    let workspace = manifest::workspace(root, &fs::read_to_string(root.join("Cargo.toml"))?, &manifests)?;
    put(&out.join("Cargo.toml"), &names.apply(&workspace))?;
    let lock = out.join("Cargo.lock");
    if !lock.exists() {
        put(&lock, &names.apply(&fs::read_to_string(root.join("Cargo.lock"))?))?;
    }
    Ok(())
}

/// Removes the modules for events, and the lines that name them.
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
        let mut lines: Vec<_> = text.lines().filter(|line| !names(line)).collect();
        lines.retain(|line| *line != "#[cfg(feature = \"webhooks\")]");
        put(&path, &format!("{}\n", lines.join("\n")))?;
    }
    Ok(())
}

/// Copies a directory without its generated part, and without tests, which are about the document of Wearlab.
fn copy(root: &Path, out: &Path, directory: &str, names: &Names) -> Result<()> {
    let entries = fs::read_dir(root.join(directory)).with_context(|| format!("cannot read {directory}"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{directory}/{name}");
        match (entry.file_type()?.is_dir(), name.as_str()) {
            (_, "generated" | "tests" | "tests.rs") => {}
            (true, _) => copy(root, out, &path, names)?,
            (false, _) => {
                let text = fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
                put(&out.join(&path), &names.apply(&without_tests(&text)))?;
            }
        }
    }
    Ok(())
}

/// Returns a module without its tests: those in a separate file, or those at its end.
fn without_tests(text: &str) -> String {
    let text = text.replace("#[cfg(test)]\nmod tests;\n", "");
    let begins = text.match_indices("\n#[cfg(test)]\n").find(|(at, _)| {
        let after = text[*at + 1..].lines().find(|line| !line.starts_with('#'));
        after.is_some_and(|line| line == "mod tests {")
    });
    match begins {
        Some((at, _)) => text[..at].to_owned(),
        None => text,
    }
}

/// Writes a file, unless it already has the text, so that a second run rebuilds nothing.
fn put(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
