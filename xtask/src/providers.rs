//! Documents of providers that have a connector: each becomes a module of `crates/providers`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wearlab_codegen::{GeneratedFile, Profile};

use crate::document::Document;
use crate::module;

/// Directory of the documents.
const DOCUMENTS: &str = "spec/providers";
/// Directory of the connectors, named by the slugs of their providers, with underscores for hyphens.
const CONNECTORS: &str = "crates/providers/src";

/// Generated files of the connectors, and the directories that hold nothing else.
#[derive(Default)]
pub(crate) struct Connectors {
    pub(crate) directories: Vec<String>,
    pub(crate) files: Vec<GeneratedFile>,
}

/// Generates the modules of all providers that have a directory.
pub(crate) fn generate(root: &Path) -> Result<Connectors> {
    let mut connectors = Connectors::default();
    for document in documents(root)? {
        let slug = document
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .replace('-', "_");
        let connector = format!("{CONNECTORS}/{slug}");
        if !root.join(&connector).is_dir() {
            continue;
        }
        let document = Document {
            spec: &document,
            overlays: &[],
            profile: Profile::Tolerant,
            name: None,
        };
        let (generated, names) = document.generate()?;
        let directory = format!("{connector}/generated");
        connectors
            .files
            .extend(module::files(Path::new(&directory), names.title(), &generated.files)?);
        connectors.directories.push(directory);
    }
    Ok(connectors)
}

fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let directory = root.join(DOCUMENTS);
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read {DOCUMENTS}"))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let mut documents: Vec<_> = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    documents.sort();
    Ok(documents)
}
