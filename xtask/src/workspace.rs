//! `cargo xtask regenerate --spec FILE --out DIR`: creates a separate workspace for any document.
//!
//! Its crates have generated files, names of their own, and the kit as a dependency.

mod choice;
mod crates;
mod kit;
mod manifest;
mod names;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use wearlab_codegen::GENERATED_DIRECTORIES;

use crate::document::Document;
use choice::Choice;
pub(crate) use kit::Kit;
pub(crate) use names::Names;

/// Document and directory of a workspace.
pub(crate) struct Options<'a> {
    pub(crate) document: Document<'a>,
    /// The directory of the workspace.
    pub(crate) out: &'a Path,
    pub(crate) kit: Kit,
    /// Names of its crates. Empty: those of an earlier run, or else the default.
    pub(crate) crates: &'a [String],
}

/// Writes the workspace. Generated files of an earlier run are replaced.
pub(crate) fn write(root: &Path, options: &Options<'_>) -> Result<()> {
    let out = options.out;
    let choice = Choice::new(options.crates, out)?;
    let (mut generated, names) = options.document.generate_and_report()?;
    generated.files.retain(|file| choice.has_file(&file.path));
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
