//! A wide document, with every type, place and style and with names that are hard to carry, is carried, and compiles.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wearlab_codegen::{Generated, generate};

const WIDE: &str = include_str!("wide.yaml");
const SPEC: &str = include_str!("../../../spec/openapi.yaml");

fn wide() -> Generated {
    generate("wide.yaml", WIDE).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn it_is_carried() {
    let files = wide().files;
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map_or("", |file| file.text.as_str())
    };
    let inputs = text("crates/server/src/generated/things.rs");
    for part in [
        "choice().or(models::Closed::A)",
        "choice().or(models::Open::Gen)",
        "parse().or(5f64)",
        "parse().or(-0.5f64)",
        "integer(Some(-7), None).or(-5)",
        ".field(\"text\", &format_args!(\"..\"))",
    ] {
        assert!(inputs.contains(part), "no {part}:\n{inputs}");
    }
    let models = text("crates/models/src/generated/things.rs");
    for part in [
        "```text",
        "items(&self) -> &[Thing] {\n        &self.type_",
        "\n//! let x",
    ] {
        assert!(models.contains(part), "no {part}:\n{models}");
    }
}

fn json(text: &str) -> Value {
    let files = generate("document.yaml", text)
        .unwrap_or_else(|error| panic!("{error}"))
        .files;
    let json = files.iter().find(|file| file.path.ends_with("openapi.json"));
    serde_json::from_str(&json.expect("the document as JSON").text).expect("JSON")
}

/// The wide document and the project's own in one: code by hand names types of the latter.
fn both() -> Value {
    let (mut both, wide) = (json(SPEC), json(WIDE));
    let tags = wide["tags"].as_array().cloned().unwrap_or_default();
    both["tags"].as_array_mut().expect("tags").extend(tags);
    for pointer in [
        "/paths",
        "/webhooks",
        "/components/schemas",
        "/components/securitySchemes",
    ] {
        let members = wide
            .pointer(pointer)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let into = both
            .pointer_mut(pointer)
            .and_then(Value::as_object_mut)
            .expect("members");
        for (name, member) in members {
            // The project's own credentials and the wide document's may have the same name.
            into.entry(name).or_insert(member);
        }
    }
    both
}

/// Copies a folder, but for what is generated.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_name() == "generated" {
        } else if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            write(&target, &fs::read_to_string(entry.path())?)?;
        }
    }
    Ok(())
}

/// Leaves a file alone that has the text already, so that a second run has nothing to build.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)
}

/// A workspace of the three crates that are generated into, with what the wide document gives.
fn scratch(root: &Path, to: &Path) -> std::io::Result<()> {
    const MEMBERS: &str = "members = [\"crates/*\", \"tests\", \"xtask\"]";
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    assert!(manifest.contains(MEMBERS), "the workspace has other members");
    write(
        &to.join("Cargo.toml"),
        &manifest.replace(MEMBERS, "members = [\"crates/*\"]"),
    )?;
    if !to.join("Cargo.lock").exists() {
        fs::copy(root.join("Cargo.lock"), to.join("Cargo.lock"))?;
    }
    for name in ["models", "client", "server"] {
        let folder = format!("crates/{name}");
        write(
            &to.join(&folder).join("Cargo.toml"),
            &fs::read_to_string(root.join(&folder).join("Cargo.toml"))?,
        )?;
        copy(&root.join(&folder).join("src"), &to.join(&folder).join("src"))?;
    }
    write(&to.join("spec/openapi.yaml"), WIDE)?;
    for file in generate("both.yaml", &both().to_string())
        .unwrap_or_else(|error| panic!("{error}"))
        .files
    {
        write(&to.join(&file.path), &file.text)?;
    }
    Ok(())
}

#[test]
fn it_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scratch_folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wide");
    scratch(&root, &scratch_folder).expect("a scratch workspace");
    let output = Command::new(env!("CARGO"))
        .current_dir(&scratch_folder)
        .args(["check", "--offline", "--quiet", "--workspace"])
        .args(["--features", "wearlab-models/builder,wearlab-models/schemars"])
        .env("CARGO_TARGET_DIR", scratch_folder.join("target"))
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
