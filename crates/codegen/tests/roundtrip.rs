//! Calls from the generated client to the generated server over HTTP: for every operation of the documents in
//! `features`, the received values are the sent ones, in both directions.
//!
//! The values are those of the document's schemas (`roundtrip/program/instances.rs`). Another operation in one of the
//! documents is tested without further code.

mod described;
mod emit;
#[path = "roundtrip/program/instances.rs"]
mod instances;
mod outcomes;
mod program;
mod signatures;

use crate::{documents, scratch};
use instances::Instances;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use wearlab_codegen::generate;

const MANIFEST: &str = r#"[package]
name = "roundtrip"
edition.workspace = true
version.workspace = true
rust-version.workspace = true

[dev-dependencies]
axum = { workspace = true, features = ["tokio"] }
futures-util.workspace = true
proptest.workspace = true
serde.workspace = true
serde_json.workspace = true
tokio.workspace = true
wearlab-client = { workspace = true, features = ["rustls"] }
wearlab-models.workspace = true
wearlab-server.workspace = true
"#;

/// Files of the program that are about documents of features.
const PROGRAM: [(&str, &str); 6] = [
    ("main.rs", include_str!("roundtrip/program/main.rs")),
    ("conditional.rs", include_str!("roundtrip/program/conditional.rs")),
    ("outside.rs", include_str!("roundtrip/program/outside.rs")),
    ("security.rs", include_str!("roundtrip/program/security.rs")),
    ("statuses.rs", include_str!("roundtrip/program/statuses.rs")),
    ("uploads.rs", include_str!("roundtrip/program/uploads.rs")),
];

#[test]
fn instances_fit_their_schemas() {
    let document = documents::all();
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut distinct = 0;
    for name in schemas.keys() {
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        let mut whole = reference.clone();
        whole["components"] = document["components"].clone();
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&whole)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let instances = Instances {
            hidden: "",
            ..Instances::sent(&document)
        };
        let values = instances.of(&reference);
        let mut seen: Vec<Value> = Vec::new();
        for _ in 0..16 {
            let value = values.new_tree(&mut runner).expect("a value").current();
            if let Err(error) = validator.validate(&value) {
                panic!("{name}: {error}: {value}");
            }
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        distinct += usize::from(seen.len() > 1);
    }
    assert!(
        distinct * 10 > schemas.len() * 9,
        "only {distinct} of {} schemas vary",
        schemas.len()
    );
}

#[test]
#[ignore = "compiles a workspace; CI runs it"]
fn what_is_sent_is_what_arrives() {
    let document = documents::all();
    let text = document.to_string();
    let scratch = scratch::Scratch::new("roundtrip", &text);
    let generated = generate("roundtrip", &text).unwrap_or_else(|error| panic!("{error}"));
    let (code, operations) = emit::emit(&document, &generated);
    scratch.write("crates/roundtrip/Cargo.toml", MANIFEST);
    scratch.write("crates/roundtrip/src/lib.rs", "//! Nothing: the program is a test.\n");
    for (name, text) in program::SHARED.iter().chain(&PROGRAM) {
        scratch.write(&format!("crates/roundtrip/tests/values/{name}"), text);
    }
    scratch.write("crates/roundtrip/tests/values/operations.rs", &code);
    scratch.write("crates/roundtrip/tests/values/operations.json", &operations);
    scratch.cargo(&["test", "--test", "values"]);
}
