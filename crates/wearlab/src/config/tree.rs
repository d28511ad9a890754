//! Tree of settings: values with their origins.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_path_to_error::{Path, Segment};

/// Origin of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Line of a file. Lines count from 1.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line.
        line: usize,
    },
    /// Environment variable.
    Variable(String),
    /// Command-line flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// Value and its origin. It may be a secret: no `Debug`.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// Value of a setting. In the environment and in flags, it is always text.
#[derive(Clone)]
pub(super) enum Value {
    Text(String),
    Boolean(bool),
    Integer(i64),
    Float(f64),
    List(Vec<Node>),
    Table(Table),
}

pub(super) type Table = BTreeMap<String, Node>;

/// Inserts `node` at `name`, a dotted path. An existing value is replaced; tables are merged.
pub(super) fn insert(table: &mut Table, name: &str, node: Node) {
    let Some((first, rest)) = name.split_once('.') else {
        return merge(table, name.to_owned(), node);
    };
    let within = table.entry(first.to_owned()).or_insert_with(|| Node {
        value: Value::Table(Table::new()),
        origin: node.origin.clone(),
    });
    if !matches!(within.value, Value::Table(_)) {
        within.value = Value::Table(Table::new());
        within.origin = node.origin.clone();
    }
    if let Value::Table(within) = &mut within.value {
        insert(within, rest, node);
    }
}

fn merge(table: &mut Table, name: String, node: Node) {
    match (table.get_mut(&name).map(|old| &mut old.value), node.value) {
        (Some(Value::Table(old)), Value::Table(new)) => {
            for (name, node) in new {
                merge(old, name, node);
            }
        }
        (_, value) => drop(table.insert(name, Node { value, ..node })),
    }
}

/// Removes the value at a path, or the innermost existing one on it, and returns it with its name.
pub(super) fn remove(table: &mut Table, path: &Path) -> Option<(String, Node)> {
    let names: Vec<_> = path.iter().map_while(name).collect();
    let mut table = table;
    for (depth, name) in names.iter().enumerate() {
        let within = table.get(*name).map(|node| &node.value);
        let deeper = matches!((within, names.get(depth + 1)), (Some(Value::Table(within)), Some(next)) if within.contains_key(*next));
        if !deeper {
            let node = table.remove(*name)?;
            return Some((names[..=depth].join("."), node));
        }
        match table.get_mut(*name).map(|node| &mut node.value) {
            Some(Value::Table(within)) => table = within,
            _ => return None,
        }
    }
    None
}

fn name(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Map { key } => Some(key),
        _ => None,
    }
}

/// Calls `each` for every setting with its name.
pub(super) fn leaves<'a>(table: &'a Table, within: &str, each: &mut impl FnMut(String, &'a Node)) {
    for (name, node) in table {
        let name = match within {
            "" => name.clone(),
            within => format!("{within}.{name}"),
        };
        match &node.value {
            Value::Table(table) => leaves(table, &name, each),
            _ => each(name, node),
        }
    }
}
