//! The tables of edits.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use wearlab_codegen::parse;

const SMALL: &str = include_str!("../small.yaml");

/// An edit of the small document.
pub(crate) struct Edit {
    /// Table and name.
    pub(crate) name: String,
    set: Map<String, Value>,
    /// Reason for a rejection.
    pub(crate) refused: Option<String>,
}

/// The edits of all tables, in their order.
pub(crate) fn all() -> Vec<Edit> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everyday");
    let files = fs::read_dir(&directory).expect("a directory");
    let mut tables: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    tables.sort();
    tables.iter().flat_map(|path| table(path)).collect()
}

fn table(path: &Path) -> Vec<Edit> {
    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = fs::read_to_string(path).expect("a table");
    // The parser takes documents, which are objects.
    let rows = parse(&name, &format!("rows:\n{text}")).unwrap_or_else(|error| panic!("{error}"));
    let rows = rows["rows"].as_array().expect("a list").iter();
    rows.map(|row| Edit {
        name: format!("{name}: {}", row["edit"].as_str().expect("a name")),
        set: row["set"].as_object().expect("values").clone(),
        refused: row["refused"].as_str().map(str::to_owned),
    })
    .collect()
}

impl Edit {
    /// Returns whether it sets a value at or below a pointer.
    pub(crate) fn sets(&self, pointer: &str) -> bool {
        self.set.keys().any(|set| set.starts_with(pointer))
    }

    /// The edited document.
    pub(crate) fn document(&self) -> Value {
        let mut document = parse("small.yaml", SMALL).unwrap_or_else(|error| panic!("{error}"));
        for (pointer, value) in &self.set {
            set(&mut document, pointer, value);
        }
        document
    }
}

fn set(document: &mut Value, pointer: &str, value: &Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let key = key.replace("~1", "/").replace("~0", "~");
    let parents = parent
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"));
    let parent = parents.fold(document, |at, part| &mut at[part]);
    match value {
        Value::Null => drop(parent.as_object_mut().expect("an object").remove(&key)),
        value => parent[key] = value.clone(),
    }
}
