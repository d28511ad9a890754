//! Adds a test crate to a workspace that `cargo xtask regenerate --spec FILE --out DIR --profile tolerant` wrote: its tests
//! call every routed operation, from the generated client to the generated server and back over HTTP.
//!
//! `cargo run -p wearlab-codegen --example roundtrip -- FILE DIR`, then `cargo test -p roundtrip` in `DIR`. The values are
//! drawn from the schemas, and those of the document's own examples; examples that do not fit their schema are listed, and
//! not used.

#[path = "../tests/roundtrip/described.rs"]
mod described;
#[path = "../tests/roundtrip/emit.rs"]
mod emit;
#[path = "../tests/roundtrip/outcomes.rs"]
mod outcomes;
#[path = "../tests/roundtrip/program.rs"]
mod program;
#[path = "../tests/roundtrip/signatures.rs"]
mod signatures;
#[path = "../tests/roundtrip/vendor.rs"]
mod vendor;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use wearlab_codegen::{Generated, Input, Profile};

const USAGE: &str = "usage: roundtrip FILE DIR
  FILE  an OpenAPI document
  DIR   the workspace that was generated from it in the tolerant profile";

/// Files of the program that are about third-party documents.
const PROGRAM: [(&str, &str); 2] = [
    ("main.rs", include_str!("../tests/roundtrip/program/document.rs")),
    ("examples.rs", include_str!("../tests/roundtrip/program/examples.rs")),
];

/// Dependencies beside the crates of the workspace.
const DEPENDENCIES: [&str; 7] = [
    "axum",
    "futures-util",
    "jsonschema",
    "proptest",
    "serde",
    "serde_json",
    "tokio",
];

/// Examples that are listed.
const SHOWN: usize = 10;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let [file, directory] = words.as_slice() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match add(file, Path::new(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn add(file: &str, workspace: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let directory = Path::new(file).parent().unwrap_or(Path::new(""));
    let read = |name: &str| fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let input = Input::new(file, &text)
        .with_files(&read)
        .with_profile(Profile::Tolerant);
    let (original, generated) = (input.parse()?, input.generate()?);
    let (code, operations) = emit::emit(&generated.document, &generated);
    let (operations, schemas) = with_examples(&original, &generated, serde_json::from_str(&operations)?);
    let out = workspace.join("crates/roundtrip");
    let tests = out.join("tests/values");
    fs::create_dir_all(&tests)?;
    fs::create_dir_all(out.join("src"))?;
    fs::write(out.join("Cargo.toml"), manifest(workspace)?)?;
    fs::write(out.join("src/lib.rs"), "//! Nothing: the program is a test.\n")?;
    for (name, text) in program::SHARED.iter().chain(&PROGRAM) {
        fs::write(tests.join(name), text)?;
    }
    fs::write(tests.join("operations.rs"), code)?;
    fs::write(tests.join("operations.json"), operations.to_string())?;
    fs::write(tests.join("schemas.rs"), schemas)?;
    Ok(())
}

/// Adds the vendor's examples to the description of the operations. Returns it, and `schemas.rs`.
fn with_examples(original: &Value, generated: &Generated, mut described: Value) -> (Value, String) {
    let document = &generated.document;
    let mut vendor = vendor::Vendor::new(original, document);
    let places = vendor::places(document);
    let mut count = 0;
    for operation in described["operations"].as_array_mut().into_iter().flatten() {
        let place = operation["id"].as_str().and_then(|id| places.get(id));
        let Some((path, method)) = place else { continue };
        let (sent, received) = vendor.bodies(path, method);
        let answers = received.into_iter().filter_map(|(status, schema, value)| {
            let statuses = operation["statuses"].as_array().into_iter().flatten();
            let errors = operation["errors"].as_array().into_iter().flatten();
            let (kind, index) = match statuses.clone().position(|known| *known == status) {
                Some(index) => ("answers", index),
                None => ("errors", errors.clone().position(|error| error["key"] == status)?),
            };
            Some(json!({ "kind": kind, "index": index, "schema": schema, "value": value }))
        });
        let answers: Vec<_> = answers.collect();
        count += sent.len() + answers.len();
        operation["examples"] = json!({ "body": sent, "answers": answers });
    }
    let models: String = generated
        .files
        .iter()
        .filter(|file| file.path.starts_with("crates/models/"))
        .map(|file| file.text.as_str())
        .collect();
    let mut schemas = vendor.schemas();
    schemas.retain(|example| {
        let name = example["schema"].as_str().unwrap_or_default();
        let is_type = |kind: &&str| {
            let item = format!("pub {kind} {name}");
            let mut rest = models.split(item.as_str()).skip(1);
            rest.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        ["struct", "enum", "type"].iter().any(is_type)
    });
    eprintln!(
        "{count} examples of bodies, {} of schemas, {} that do not fit their schemas",
        schemas.len(),
        vendor.unfit.len()
    );
    for unfit in vendor.unfit.iter().take(SHOWN) {
        eprintln!("  {}", unfit.chars().take(300).collect::<String>());
    }
    let mut names: Vec<_> = schemas
        .iter()
        .filter_map(|example| example["schema"].as_str())
        .collect();
    names.dedup();
    let arms: String = names
        .iter()
        .map(|name| format!("        {name:?} => whole::<models::{name}>(value),\n"))
        .collect();
    let code = format!(
        "//! @generated: the schemas that have examples.\n\n\
         use serde::Serialize;\nuse serde::de::DeserializeOwned;\nuse serde_json::{{Error, Value}};\n\
         #[allow(unused_imports, reason = \"a document may have no example\")]\nuse wearlab_models as models;\n\n\
         /// The encoding of a decoded value of a schema.\n\
         pub(crate) fn decoded(name: &str, value: &Value) -> Result<Value, Error> {{\n    match name {{\n{arms}        \
         _ => panic!(\"no schema {{name}}: {{value}}\"),\n    }}\n}}\n\n\
         #[allow(dead_code, reason = \"a document may have no example\")]\n\
         fn whole<T: DeserializeOwned + Serialize>(value: &Value) -> Result<Value, Error> {{\n    \
         serde_json::to_value(T::deserialize(value)?)\n}}\n"
    );
    described["schemas"] = json!(schemas);
    (described, code)
}

/// The manifest of the test crate, with the versions of this workspace.
fn manifest(workspace: &Path) -> Result<String, Box<dyn Error>> {
    let ours = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))?;
    let client = fs::read_to_string(workspace.join("crates/client/Cargo.toml"))?;
    let name = client
        .lines()
        .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix("-client\""));
    let name = name.ok_or("the client has no name")?;
    let mut text = "[package]\nname = \"roundtrip\"\nedition.workspace = true\nversion.workspace = true\n\
                    rust-version.workspace = true\n\n[dev-dependencies]\n"
        .to_owned();
    for dependency in DEPENDENCIES {
        let line = ours.lines().find(|line| line.starts_with(&format!("{dependency} = ")));
        text += line.ok_or_else(|| format!("Cargo.toml has no line `{dependency} = ...`"))?;
        text += "\n";
    }
    for part in ["client", "models", "server"] {
        let features = if part == "client" {
            ", features = [\"rustls\"]"
        } else {
            ""
        };
        text += &format!("wearlab-{part} = {{ package = \"{name}-{part}\", path = \"../{part}\"{features} }}\n");
    }
    Ok(text)
}
