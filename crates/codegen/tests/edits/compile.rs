//! Compiles models, client and server as a document gives them, and code that uses them, in a workspace of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wearlab_codegen::GENERATED_FOLDERS;

use crate::edit;
use crate::outcome::generated;

/// The crate of the code that uses what is new. What is not as it expects is an error.
const CONSUMER: &str = r#"[package]
name = "consumer"
edition.workspace = true
version.workspace = true
rust-version.workspace = true

[dependencies]
wearlab-client = { workspace = true, features = ["rustls"] }
wearlab-models = { workspace = true, features = ["builder", "schemars"] }
wearlab-server.workspace = true
"#;

/// Fails where the crates that come of `text`, with these modules of `edits/consumer`, give an error or a warning.
pub(crate) fn check(name: &str, text: &str, modules: &[&str]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    workspace(&folder, text);
    consumer(&folder.join("crates/consumer"), modules);
    let output = Command::new(env!("CARGO"))
        .current_dir(&folder)
        .args(["check", "--offline", "--quiet", "--workspace"])
        // One for all such workspaces, so that what they depend on is built once.
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("wide/target"),
        )
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
}

/// The three crates that are generated into.
fn workspace(folder: &Path, text: &str) {
    const MEMBERS: &str = "members = [\"crates/*\", \"tests\", \"xtask\"]";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest = read(&root.join("Cargo.toml"));
    assert!(manifest.contains(MEMBERS), "the workspace has other members");
    write(
        &folder.join("Cargo.toml"),
        &manifest.replace(MEMBERS, "members = [\"crates/*\"]"),
    );
    let lock = read(&root.join("Cargo.lock"));
    if !folder.join("Cargo.lock").exists() {
        write(&folder.join("Cargo.lock"), &lock);
    }
    for name in ["models", "client", "server"] {
        let (from, to) = (root.join("crates").join(name), folder.join("crates").join(name));
        write(&to.join("Cargo.toml"), &read(&from.join("Cargo.toml")));
        copy(&from.join("src"), &to.join("src"));
    }
    write(&folder.join("spec/openapi.yaml"), text);
    let files = generated(text).files;
    for file in &files {
        write(&folder.join(&file.path), &file.text);
    }
    let known: Vec<PathBuf> = files.iter().map(|file| folder.join(&file.path)).collect();
    for stale in GENERATED_FOLDERS
        .iter()
        .flat_map(|generated| entries(&folder.join(generated)))
    {
        if !known.contains(&stale) {
            fs::remove_file(&stale).expect("a stale file goes");
        }
    }
}

fn consumer(folder: &Path, modules: &[&str]) {
    let list: String = modules.iter().map(|module| format!("pub mod {module};\n")).collect();
    write(&folder.join("Cargo.toml"), CONSUMER);
    write(
        &folder.join("src/lib.rs"),
        &format!("//! Uses what edits make.\n#![deny(warnings)]\n\n{list}"),
    );
    for module in modules {
        let file = format!("{module}.rs");
        write(
            &folder.join("src").join(&file),
            &read(&edit::folder().join("consumer").join(&file)),
        );
    }
}

/// Copies a folder, but for what is generated.
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

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Leaves a file alone that has the text already, so that a second run has nothing to build.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap_or(path)).expect("a folder");
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
