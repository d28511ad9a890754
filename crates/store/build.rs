//! Lists the migrations of each engine, from `src/migrations`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

const DIRECTORY: &str = "src/migrations";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DIRECTORY}");
    let directory = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(DIRECTORY);
    let released = ["sqlite", "postgres"].map(|engine| files(&directory.join(engine)));
    let [sqlite, postgres] = released;
    let (sqlite, postgres) = (sqlite?, postgres?);
    let first = sqlite.len() + 1;
    let shared = files(&directory)?;
    let mut lists = String::new();
    for (list, of, released, other) in [
        ("SQLITE", "all()", sqlite, ".postgres.sql"),
        ("POSTGRES", "feature = \"postgres\"", postgres, ".sqlite.sql"),
    ] {
        let shared = shared.iter().filter(|file| !name(file).ends_with(other));
        let shared: Vec<_> = shared.cloned().collect();
        check(&released, 1)?;
        check(&shared, first)?;
        lists += &format!(
            "/// Migrations from each version to the next.\n#[cfg({of})]\npub(crate) const {list}: &[&str] = &[\n"
        );
        for file in released.iter().chain(&shared) {
            lists += &format!("include_str!({file:?}),\n");
        }
        lists += "];\n";
    }
    Ok(fs::write(
        Path::new(&env::var("OUT_DIR")?).join("migrations.rs"),
        lists,
    )?)
}

/// Returns the SQL files of a directory, in order.
fn files(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Fails unless the numbers of files follow each other. A gap is also half of a pair without the other half.
fn check(files: &[PathBuf], first: usize) -> Result<(), String> {
    for (number, file) in (first..).zip(files) {
        if !name(file).starts_with(&format!("{number:04}_")) {
            return Err(format!(
                "{} must be number {number:04} of its engine: a migration is NAME.sql for both engines, or \
                 NAME.sqlite.sql and NAME.postgres.sql",
                file.display()
            ));
        }
    }
    Ok(())
}

fn name(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
