//! `cargo xtask regenerate --spec FILE --module DIR`: writes types, client and server of a document as modules of a crate
//! that exists.
//!
//! The generated code is that of the crates of a workspace: each becomes a module, and paths from the root of its crate
//! begin at that module.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

use anyhow::{Context, Result, bail, ensure};
use wearlab_codegen::GeneratedFile;

use crate::document::Document;
use crate::generated_files;

/// The crates that become modules.
const PARTS: [&str; 3] = ["models", "client", "server"];

/// Writes the module. Files of an earlier run that are not generated any more are deleted.
pub(crate) fn write(document: &Document<'_>, directory: &Path) -> Result<()> {
    path(directory)?;
    let (generated, names) = document.generate_and_report()?;
    let files = files(directory, names.title(), &generated.files)?;
    check_directory(directory)?;
    generated_files::write(Path::new(""), &[&directory.to_string_lossy()], files)
}

/// Fails if the directory has Rust that is not generated, which would be deleted.
fn check_directory(directory: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            check_directory(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(
                text.starts_with("// @generated"),
                "{} is not generated: --module is a directory that has generated files alone, such as src/pets/generated",
                path.display()
            );
        }
    }
    Ok(())
}

/// Returns the files of a module: those of a workspace, at their places in the module's directory, which is relative and
/// below `src`.
pub(crate) fn files(directory: &Path, title: &str, generated: &[GeneratedFile]) -> Result<Vec<GeneratedFile>> {
    let module = path(directory)?;
    let mut files = vec![root(directory, title)];
    for part in PARTS {
        let prefix = format!("crates/{part}/src/generated/");
        for file in generated {
            let Some(name) = file.path.strip_prefix(&prefix) else {
                continue;
            };
            let text = match name.ends_with(".rs") {
                true => in_module(&file.text, &module, part, name),
                false => file.text.clone(),
            };
            files.push(GeneratedFile {
                path: format!("{}/{part}/{name}", directory.display()),
                text,
            });
        }
    }
    Ok(files)
}

/// The text of a file whose paths begin at the module.
fn in_module(text: &str, module: &str, part: &str, name: &str) -> String {
    let mut text = text
        .replace("crate::codegen", &format!("{module}::{part}::codegen"))
        .replace("crate::models", &format!("{module}::models"))
        .replace("crate::Failure", &format!("{module}::client::Failure"));
    if name == "mod.rs" {
        // In a workspace, the root of the crate has them.
        text.push_str("pub use codegen::exports::*;\n");
        if part != "models" {
            text.push_str("pub use super::models;\n");
        }
    }
    text
}

/// The path of the module that a directory of sources is: `crate::oura::generated`.
fn path(directory: &Path) -> Result<String> {
    let steps: Vec<_> = directory
        .components()
        .map(|step| match step {
            Component::Normal(name) => name.to_str().unwrap_or_default(),
            _ => "",
        })
        .collect();
    let below = steps.iter().rposition(|step| *step == "src").map(|at| &steps[at + 1..]);
    let is_name = |step: &&str| {
        step.starts_with(|c: char| c.is_ascii_lowercase())
            && step
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    match below {
        Some(modules) if !modules.is_empty() && modules.iter().all(is_name) => {
            Ok(format!("crate::{}", modules.join("::")))
        }
        _ => bail!(
            "--module is the directory of a module below `src`, such as crates/api/src/pets: {} is not",
            directory.display()
        ),
    }
}

/// Lints of generated code whose use the crate decides.
const ALLOW: &str = "#![allow(
    dead_code,
    deprecated,
    unreachable_pub,
    unused_imports,
    clippy::allow_attributes,
    clippy::match_single_binding,
    clippy::should_implement_trait,
    clippy::too_many_arguments,
    reason = \"the document names and deprecates, and the crate need not use all of it\"
)]
";

/// The file of the module itself.
fn root(directory: &Path, title: &str) -> GeneratedFile {
    let parts: String = BTreeSet::from(PARTS)
        .iter()
        .map(|part| format!("pub mod {part};\n"))
        .collect();
    GeneratedFile {
        path: format!("{}/mod.rs", directory.display()),
        text: format!(
            "// @generated by cargo xtask regenerate\n\n//! Types, client and server of {title}.\n\n{ALLOW}\n{parts}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wearlab_codegen::GeneratedFile;

    use super::{files, path};

    #[test]
    fn paths_begin_at_the_module() {
        let file = |path: &str, text: &str| GeneratedFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let generated = [
            file("crates/client/src/generated/mod.rs", "mod pets;\n"),
            file(
                "crates/client/src/generated/codegen.rs",
                "pub(crate) use crate::models;\n",
            ),
            file("crates/models/src/generated/pets.rs", "use crate::codegen::*;\n"),
            file("crates/cli/src/generated/mod.rs", ""),
        ];
        let files = files(Path::new("api/src/pets/generated"), "Pets", &generated).expect("files");
        let text = |path: &str| {
            files
                .iter()
                .find(|file| file.path == path)
                .map(|file| file.text.as_str())
        };
        assert_eq!(files.len(), 4, "the command line has no module");
        assert_eq!(
            text("api/src/pets/generated/models/pets.rs"),
            Some("use crate::pets::generated::models::codegen::*;\n")
        );
        assert_eq!(
            text("api/src/pets/generated/client/codegen.rs"),
            Some("pub(crate) use crate::pets::generated::models;\n")
        );
        assert_eq!(
            text("api/src/pets/generated/client/mod.rs"),
            Some("mod pets;\npub use codegen::exports::*;\npub use super::models;\n")
        );
        assert!(
            text("api/src/pets/generated/mod.rs").is_some_and(|text| text.contains("pub mod client;\npub mod models;"))
        );
    }

    #[test]
    fn a_module_is_below_src() {
        assert_eq!(path(Path::new("crates/a/src/b_2")).expect("a path"), "crate::b_2");
        for wrong in ["crates/a", "crates/a/src", "src/Pets", "src/a-b", "src/../b"] {
            assert!(path(Path::new(wrong)).is_err(), "{wrong}");
        }
    }
}
