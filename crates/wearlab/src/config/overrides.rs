//! The settings that differ from their defaults, with their origins and without secrets.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::de::DeTable;

use super::defaults::{DEFAULT_FILE, is_secret};
use super::sources;
use super::tree::{self, Node, Origin, Table, Value};

/// Placeholder of a secret.
const SECRET: &str = "(secret)";

/// Setting that differs from its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Override {
    /// Name of the setting, such as `http.listen`.
    pub setting: String,
    /// Value as text; masked if it is a secret.
    pub value: String,
    /// Origin: a file with the line, a variable, or a flag.
    pub origin: String,
}

/// Returns the settings of a tree that differ from their defaults.
pub(super) fn of_tree(given: &Table) -> Vec<Override> {
    let defaults = defaults();
    let mut of_tree = Vec::new();
    tree::leaves(given, "", &mut |setting, node| {
        let value = text(node);
        if defaults.get(&setting) != Some(&value) {
            of_tree.push(of(setting, &value, &node.origin));
        }
    });
    of_tree
}

/// Returns a setting with its value and origin.
pub(super) fn of(setting: String, value: &str, origin: &Origin) -> Override {
    Override {
        value: if may_be_shown(&setting) { value } else { SECRET }.to_owned(),
        origin: origin.to_string(),
        setting,
    }
}

/// Settings in secret sections that are not secret, besides the names of files.
const SHOWN: [&str; 4] = [
    "cloud_pubsub.projects",
    "database.connections",
    "database.document_cache_bytes",
    "database.statement_timeout",
];

fn may_be_shown(setting: &str) -> bool {
    !is_secret(setting) || setting.ends_with("_file") || SHOWN.contains(&setting)
}

fn defaults() -> BTreeMap<String, String> {
    let mut defaults = BTreeMap::new();
    if let Ok(document) = DeTable::parse(DEFAULT_FILE) {
        let table = sources::table_of(document.into_inner(), DEFAULT_FILE);
        tree::leaves(&table, "", &mut |setting, node| {
            defaults.insert(setting, text(node));
        });
    }
    defaults
}

/// Formats a value as in a flag.
fn text(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::List(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        Value::Table(_) => String::new(),
    }
}
