//! `cargo xtask regenerate --spec FILE --out DIR`: creates a separate workspace for any document.
//!
//! Its crates have generated files, names of their own, and the kit as a dependency.

mod choice;
mod crates;
mod kit;
mod manifest;
mod names;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wearlab_codegen::{GENERATED_DIRECTORIES, Input, Profile};

use choice::Choice;
pub(crate) use kit::Kit;
use names::Names;

/// Document, directory and names of a workspace.
pub(crate) struct Options<'a> {
    /// The document.
    pub(crate) spec: &'a Path,
    /// Changes to it.
    pub(crate) overlays: &'a [PathBuf],
    /// The directory of the workspace.
    pub(crate) out: &'a Path,
    pub(crate) profile: Profile,
    /// Prefix of the names of its crates, in place of the one from the title.
    pub(crate) name: Option<&'a str>,
    pub(crate) kit: Kit,
    /// Names of its crates. Empty: those of an earlier run, or else the default.
    pub(crate) crates: &'a [String],
}

/// Writes the workspace. Generated files of an earlier run are replaced.
pub(crate) fn write(root: &Path, options: &Options<'_>) -> Result<()> {
    let Options { spec, out, .. } = options;
    let choice = Choice::new(options.crates, out)?;
    let text = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let overlays = options
        .overlays
        .iter()
        .map(|path| Ok((path.to_string_lossy().into_owned(), text(path)?)));
    let (overlays, text) = (overlays.collect::<Result<Vec<_>>>()?, text(spec)?);
    let overlays: Vec<_> = overlays
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let directory = spec.parent().unwrap_or(Path::new(""));
    let read = |name: &str| fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let file = spec.to_string_lossy();
    let input = Input::new(&file, &text)
        .with_files(&read)
        .with_overlays(&overlays)
        .with_profile(options.profile);
    let title = input.parse()?["info"]["title"].as_str().unwrap_or_default().to_owned();
    let names = Names::new(&title, options.name)?;
    let prefix = names.prefix();
    let mut generated = input.with_prefix(&prefix).generate()?;
    generated.files.retain(|file| choice.has_file(&file.path));
    if !generated.notes.list().is_empty() {
        println!("{}", generated.notes.grouped());
    }
    if let Some(coverage) = &generated.coverage {
        println!("{}\n", coverage.summary());
    }
    for (path, text) in crates::files(&names, &choice) {
        put(&out.join(path), &text)?;
    }
    put(
        &out.join("README.md"),
        &crates::readme(&names, &generated.files, &choice),
    )?;
    let ours = fs::read_to_string(root.join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let manifest = manifest::workspace(&ours, &names, &options.kit, &choice)?;
    put(&out.join("Cargo.toml"), &manifest)?;
    // The versions that the kit is tested with. Cargo completes them.
    let lock = out.join("Cargo.lock");
    if !lock.exists() {
        put(
            &lock,
            &fs::read_to_string(root.join("Cargo.lock")).context("cannot read Cargo.lock")?,
        )?;
    }
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
