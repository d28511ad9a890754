//! A workspace of the three crates that are generated into, with what another document gives.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use wearlab_codegen::generate;

/// The folder of the workspace. It stays, so that a second run has little to build.
pub(crate) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Copies the three crates, and generates what is generated from a document.
    pub(crate) fn new(document: &str) -> Self {
        let scratch = Self {
            folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("features"),
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        scratch.fill(&root, document).expect("a scratch workspace");
        scratch
    }

    fn fill(&self, root: &Path, document: &str) -> io::Result<()> {
        const MEMBERS: &str = "members = [\"crates/*\", \"tests\", \"xtask\"]";
        let (to, crates) = (&self.folder, ["models", "client", "server"]);
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        assert!(manifest.contains(MEMBERS), "the workspace has other members");
        write(
            &to.join("Cargo.toml"),
            &manifest.replace(MEMBERS, "members = [\"crates/*\"]"),
        )?;
        fs::copy(root.join("Cargo.lock"), to.join("Cargo.lock"))?;
        for name in crates {
            let (from, to) = (root.join("crates").join(name), to.join("crates").join(name));
            write(&to.join("Cargo.toml"), &fs::read_to_string(from.join("Cargo.toml"))?)?;
            copy(&from.join("src"), &to.join("src"))?;
        }
        write(&to.join("spec/openapi.yaml"), document)?;
        let files = generate("all.json", document)
            .unwrap_or_else(|error| panic!("{error}"))
            .files;
        for name in crates {
            let folder = format!("crates/{name}/src/generated");
            for entry in fs::read_dir(to.join(&folder)).into_iter().flatten() {
                let name = entry?.file_name().to_string_lossy().into_owned();
                if !files.iter().any(|file| file.path == format!("{folder}/{name}")) {
                    fs::remove_file(to.join(&folder).join(name))?;
                }
            }
        }
        for file in files {
            write(&to.join(&file.path), &file.text)?;
        }
        Ok(())
    }

    /// Compiles the workspace and renders its docs; a warning of either is an error.
    pub(crate) fn check(&self) {
        let features = ["--features", "wearlab-models/builder,wearlab-models/schemars"];
        for command in ["check", "doc"] {
            let output = Command::new(env!("CARGO"))
                .current_dir(&self.folder)
                .args([command, "--offline", "--quiet", "--workspace"])
                .args((command == "doc").then_some("--no-deps"))
                .args(features)
                .env("CARGO_TARGET_DIR", self.folder.join("target"))
                .env("CARGO_BUILD_WARNINGS", "deny")
                .env("RUSTDOCFLAGS", "-D warnings -D rustdoc::all")
                .output()
                .expect("cargo runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "cargo {command}:\n{said}");
        }
    }
}

/// Copies a folder, but for what is generated.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
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
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)
}
