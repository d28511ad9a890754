//! Lists the models, which are the schemas of the served document, for `src/fuzz/models.rs`.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use serde_json::Value;

const DOCUMENT: &str = "../crates/server/src/generated/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    let document: Value = serde_json::from_str(&fs::read_to_string(DOCUMENT)?)?;
    let schemas = document["components"]["schemas"].as_object().ok_or("no schemas")?;
    // The known values of an open enum have a schema of their own, for third-party tools.
    let known: BTreeSet<_> = schemas
        .values()
        .filter_map(|schema| schema["anyOf"][0]["$ref"].as_str()?.rsplit('/').next())
        .collect();
    let names = schemas.keys().map(String::as_str).filter(|name| !known.contains(name));
    let list = format!("models![{}]", names.collect::<Vec<_>>().join(", "));
    let file = Path::new(&env::var("OUT_DIR")?).join("models.rs");
    Ok(fs::write(file, list)?)
}
