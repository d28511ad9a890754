//! A workspace of the generated crates, for another document.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wearlab_codegen::GENERATED_DIRECTORIES;

use crate::project;

/// The directory of the workspace, and below it that of its crates. Both are kept, so that a second run has little to build.
///
/// Cargo distinguishes built crates of the same name by their paths below the workspace: in a target directory
/// that several workspaces share, `crates/models` of one would be confused with that of another.
pub(crate) struct Scratch {
    workspace: PathBuf,
    directory: PathBuf,
}

impl Scratch {
    /// Copies the crates, and generates the files of a document.
    pub(crate) fn new(name: &str, document: &str) -> Self {
        let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let directory = workspace.join(name);
        let scratch = Self { workspace, directory };
        scratch.copy_crates(name, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        scratch.generate(document);
        scratch
    }

    fn copy_crates(&self, name: &str, root: &Path) {
        let manifest = read(&root.join("Cargo.toml"));
        let members = manifest.lines().find(|line| line.starts_with("members = "));
        let members = members.expect("the workspace lists its members in a line");
        let manifest = manifest.replace(members, "members = [\"crates/*\"]");
        let kit = root.canonicalize().expect("the workspace").join("crates/kit-");
        let manifest = manifest.replace("\"crates/kit-", &format!("\"{}", kit.display()));
        let manifest = manifest.replace("\"crates/", &format!("\"{name}/crates/"));
        write(&self.workspace.join("Cargo.toml"), &manifest);
        fs::copy(root.join("Cargo.lock"), self.workspace.join("Cargo.lock")).expect("the versions are copied");
        for name in ["models", "client", "server", "cli", "mcp", "mock"] {
            let (from, to) = (root.join("crates").join(name), self.directory.join("crates").join(name));
            write(&to.join("Cargo.toml"), &read(&from.join("Cargo.toml")));
            copy(&from.join("src"), &to.join("src"));
        }
    }

    fn generate(&self, document: &str) {
        let generated = project::with("openapi.yaml", document, |input| input.generate());
        let generated = generated.unwrap_or_else(|error| panic!("{error}"));
        for file in &generated.files {
            self.write(&file.path, &file.text);
        }
        let known: Vec<_> = generated
            .files
            .iter()
            .map(|file| self.directory.join(&file.path))
            .collect();
        for stale in GENERATED_DIRECTORIES
            .iter()
            .flat_map(|generated| entries(&self.directory.join(generated)))
        {
            if !known.contains(&stale) {
                fs::remove_file(&stale).expect("a stale file goes");
            }
        }
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, path: &str, text: &str) {
        write(&self.directory.join(path), text);
    }

    /// Runs cargo on the workspace; an error or a warning fails.
    pub(crate) fn cargo(&self, arguments: &[&str]) {
        let output = Command::new(env!("CARGO"))
            .current_dir(&self.workspace)
            .args(arguments)
            .args(["--offline", "--quiet", "--workspace"])
            // The directory of this workspace, so that shared dependencies are built once.
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."))
            .env("CARGO_BUILD_WARNINGS", "deny")
            .env("RUSTDOCFLAGS", "-D warnings -D rustdoc::all")
            .output()
            .expect("cargo runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && said.is_empty(),
            "cargo {arguments:?}:\n{said}{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

/// Copies a directory without generated files.
fn copy(from: &Path, to: &Path) {
    for path in entries(from) {
        let name = path.file_name().unwrap_or_default();
        if path.is_file() {
            write(&to.join(name), &read(&path));
        } else if name != "generated" {
            copy(&path, &to.join(name));
        }
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a file unless it has the text already, so that a second run has nothing to build.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap_or(path)).expect("a directory");
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
