//! A document of anyone, with its names and overlays, and what is generated from it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wearlab_codegen::{Generated, Input, Profile};

use crate::workspace::Names;

/// A document on disk.
pub(crate) struct Document<'a> {
    pub(crate) spec: &'a Path,
    /// Changes to it, as files.
    pub(crate) overlays: &'a [PathBuf],
    pub(crate) profile: Profile,
    /// Prefix of the names of its crates and variables, in place of the one from the title.
    pub(crate) name: Option<&'a str>,
}

impl Document<'_> {
    /// Generates its files, and prints the notes and what of the document they have.
    pub(crate) fn generate_and_report(&self) -> Result<(Generated, Names)> {
        let (generated, names) = self.generate()?;
        if !generated.notes.list().is_empty() {
            println!("{}", generated.notes.grouped());
        }
        if let Some(coverage) = &generated.coverage {
            println!("{}\n", coverage.summary());
        }
        Ok((generated, names))
    }

    /// Generates its files.
    pub(crate) fn generate(&self) -> Result<(Generated, Names)> {
        let text = |path: &Path| fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
        let overlays = self
            .overlays
            .iter()
            .map(|path| Ok((path.to_string_lossy().into_owned(), text(path)?)));
        let (overlays, text) = (overlays.collect::<Result<Vec<_>>>()?, text(self.spec)?);
        let overlays: Vec<_> = overlays
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let directory = self.spec.parent().unwrap_or(Path::new(""));
        let read = |name: &str| fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
        let file = self.spec.to_string_lossy();
        let input = Input::new(&file, &text)
            .with_files(&read)
            .with_overlays(&overlays)
            .with_profile(self.profile);
        let title = input.parse()?["info"]["title"].as_str().unwrap_or_default().to_owned();
        let names = Names::new(&title, self.name)?;
        let generated = input.with_prefix(&names.prefix()).generate()?;
        Ok((generated, names))
    }
}
