//! Settings of a file and of the environment, as trees.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{ConfigurationError, Problem};
use super::tree::{Node, Origin, Table, Value};

/// The prefix of all variables.
const PREFIX: &str = "WEARLAB_";
/// The variable that names the file.
pub(crate) const FILE: &str = "WEARLAB_CONFIG";
/// The variable that names the organisation of commands that call a service.
pub(crate) const ORGANISATION: &str = "WEARLAB_ORG_ID";
/// The prefix of the variables of a migration.
const MIGRATION: &str = "WEARLAB_MIGRATE_";

/// Parses a configuration file. Errors show none of its text.
pub(super) fn file(path: &Path) -> Result<Table, ConfigurationError> {
    let wrong = |line: Option<usize>, reason: String| {
        let origin = line.map(|line| Origin::File {
            path: path.to_owned(),
            line,
        });
        let setting = String::new();
        ConfigurationError(vec![Problem {
            origin,
            setting,
            reason,
        }])
    };
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| wrong(None, format!("cannot read {}: {error}", path.display())))?;
    let lines = Lines::of(&text);
    match DeTable::parse(&text) {
        Ok(document) => Ok(table(document.into_inner(), path, &lines)),
        Err(error) => {
            let (line, column) = lines.position(error.span().map_or(text.len(), |span| span.start));
            let reason = format!("invalid TOML at column {column}: {}", error.message());
            Err(wrong(Some(line), reason))
        }
    }
}

/// Returns the settings of a parsed text.
pub(super) fn table_of(document: DeTable<'_>, text: &str) -> Table {
    table(document, Path::new(""), &Lines::of(text))
}

/// The line starts of a text.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the line and column of a byte, counted from 1.
    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts[line - 1];
        let column = self.text.get(start..at).map_or(0, |before| before.chars().count());
        (line, column + 1)
    }
}

fn table(table: DeTable<'_>, path: &Path, lines: &Lines<'_>) -> Table {
    let node = |name: &Spanned<std::borrow::Cow<'_, str>>, value| {
        let (line, _) = lines.position(name.span().start);
        let origin = Origin::File {
            path: path.to_owned(),
            line,
        };
        Node {
            value: self::value(value, path, lines),
            origin,
        }
    };
    let members = table.into_iter();
    members
        .map(|(name, value)| (name.get_ref().to_string(), node(&name, value)))
        .collect()
}

fn value(given: Spanned<DeValue<'_>>, path: &Path, lines: &Lines<'_>) -> Value {
    match given.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Text(number.to_string()),
        },
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(items) => {
            let node = |item: Spanned<DeValue<'_>>| {
                let (line, _) = lines.position(item.span().start);
                let origin = Origin::File {
                    path: path.to_owned(),
                    line,
                };
                let value = value(item, path, lines);
                Node { value, origin }
            };
            Value::List(items.into_iter().map(node).collect())
        }
        DeValue::Table(members) => Value::Table(table(members, path, lines)),
    }
}

/// The variables of the environment.
#[derive(Default)]
pub(super) struct Environment {
    /// The settings, by their names.
    pub(super) settings: Vec<(String, Node)>,
    /// The variables whose values are not UTF-8.
    pub(super) not_text: Vec<String>,
    /// The variables that look like settings and were set by an orchestrator.
    pub(super) ignored: Vec<String>,
}

/// Reads the variables. An empty one counts as not set.
pub(super) fn environment(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let mut read = Environment::default();
    for (variable, value) in variables {
        let variable = variable.to_string_lossy().into_owned();
        let Some(name) = variable.strip_prefix(PREFIX).filter(|_| !value.is_empty()) else {
            continue;
        };
        if [FILE, ORGANISATION].contains(&&*variable)
            || variable.starts_with(MIGRATION)
            || wearlab_cli::is_variable(&variable)
        {
            continue;
        }
        let Ok(value) = value.into_string() else {
            read.not_text.push(variable);
            continue;
        };
        if is_service_link(name, &value) {
            read.ignored.push(variable);
            continue;
        }
        let setting = name.to_lowercase().replace("__", ".");
        let node = Node {
            value: Value::Text(value),
            origin: Origin::Variable(variable),
        };
        read.settings.push((setting, node));
    }
    read.settings.sort_by(|(a, _), (b, _)| a.cmp(b));
    read.not_text.sort();
    read
}

/// Returns whether a variable is one that Kubernetes and Docker set for a service whose name begins with `wearlab`,
/// such as `WEARLAB_PORT=tcp://10.0.0.1:80` and `WEARLAB_SERVICE_HOST=10.0.0.1`.
fn is_service_link(name: &str, value: &str) -> bool {
    let name = format!("_{name}");
    let of_port = name.match_indices("_PORT_").any(|(at, before)| {
        let rest = &name[at + before.len()..];
        let protocol = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        protocol.len() < rest.len() && ["_TCP", "_UDP", "_SCTP"].iter().any(|of| protocol.starts_with(of))
    });
    let port = name.ends_with("_PORT") && value.contains("://");
    let service = name.ends_with("_SERVICE_HOST") || name.ends_with("_SERVICE_PORT") || name.contains("_SERVICE_PORT_");
    !name.contains("__") && (of_port || port || service)
}
