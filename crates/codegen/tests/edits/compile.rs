//! Compiles the generated crates of a document, and code that uses them, in a workspace of their own.

use std::fs;

use super::edit;
use crate::scratch::Scratch;

/// The crate of the code that uses new parts. Anything unexpected is an error.
const CONSUMER: &str = r#"[package]
name = "consumer"
edition.workspace = true
version.workspace = true
rust-version.workspace = true

[dependencies]
wearlab-client = { workspace = true, features = ["rustls"] }
wearlab-mock.workspace = true
wearlab-models = { workspace = true, features = ["builder", "schemars"] }
wearlab-server.workspace = true
"#;

/// Fails if the crates generated from `text`, with these modules of `edits/consumer`, give an error or a warning.
pub(crate) fn check(name: &str, text: &str, modules: &[&str]) {
    let scratch = Scratch::new(name, text);
    scratch.write("crates/consumer/Cargo.toml", CONSUMER);
    let list: String = modules.iter().map(|module| format!("pub mod {module};\n")).collect();
    scratch.write(
        "crates/consumer/src/lib.rs",
        &format!("//! Uses what edits make.\n#![deny(warnings)]\n\n{list}"),
    );
    for module in modules {
        let source = edit::directory().join("consumer").join(format!("{module}.rs"));
        let source = fs::read_to_string(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        scratch.write(&format!("crates/consumer/src/{module}.rs"), &source);
    }
    scratch.cargo(&["check"]);
}
