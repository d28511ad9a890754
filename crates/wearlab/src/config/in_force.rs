//! What is in force beside the defaults: each setting that was given another value, and where, without secrets.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::de::DeTable;

use super::load::{DEFAULT_FILE, is_secret};
use super::node::{self, Node, Origin, Table, Value};
use super::sources;

/// What stands for a secret.
const SECRET: &str = "(secret)";

/// A setting that differs from its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InForce {
    /// The setting, such as `http.listen`.
    pub setting: String,
    /// Its value as text; of a secret, that it is one.
    pub value: String,
    /// Where it was given: a file with its line, a variable, or a flag.
    pub origin: String,
}

/// The settings of a tree whose values are not those of the defaults.
pub(super) fn differing(given: &Table) -> Vec<InForce> {
    let defaults = defaults();
    let mut differing = Vec::new();
    node::leaves(given, "", &mut |setting, node| {
        let value = text(node);
        if defaults.get(&setting) != Some(&value) {
            differing.push(of(setting, &value, &node.origin));
        }
    });
    differing
}

/// A setting that was given.
pub(super) fn of(setting: String, value: &str, origin: &Origin) -> InForce {
    InForce {
        value: if may_be_shown(&setting) { value } else { SECRET }.to_owned(),
        origin: origin.to_string(),
        setting,
    }
}

/// Of sections that may hold secrets, what is none whatever its value: names of files, and these.
const SHOWN: [&str; 2] = ["database.connections", "database.statement_timeout"];

fn may_be_shown(setting: &str) -> bool {
    !is_secret(setting) || setting.ends_with("_file") || SHOWN.contains(&setting)
}

fn defaults() -> BTreeMap<String, String> {
    let mut defaults = BTreeMap::new();
    if let Ok(document) = DeTable::parse(DEFAULT_FILE) {
        let table = sources::table_of(document.into_inner(), DEFAULT_FILE);
        node::leaves(&table, "", &mut |setting, node| {
            defaults.insert(setting, text(node));
        });
    }
    defaults
}

/// A value as a flag would give it.
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
