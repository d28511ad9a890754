//! Writes responses as JSON or as a table.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, Command, ValueEnum};
use serde_json::Value;
use serde_json::value::RawValue;
use wearlab_kit_client::{Body, Response};

use crate::failure::{Failure, Outcome, one_line};
use crate::table::{Table, column_names, has_column};
use crate::text;

const OUTPUT: &str = "output";
const COLUMNS: &str = "columns";
/// All columns that have values.
const ALL_COLUMNS: &str = "all";

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON as received, indented on a terminal
    Json,
    /// JSON, indented
    Pretty,
    /// JSON, on one line
    Compact,
    /// A table; nested lists and objects are shown by their length
    Table,
}

/// Adds the options.
pub(crate) fn add(command: Command) -> Command {
    let format = Arg::new(OUTPUT)
        .long(OUTPUT)
        .short('o')
        .value_name("FORMAT")
        .help("Output format")
        .default_value("json")
        .value_parser(EnumValueParser::<Format>::new());
    let columns = Arg::new(COLUMNS)
        .long(COLUMNS)
        .value_name("NAME,...")
        .help("Columns of the table, such as user_id,fallback_time_zone.id, or all [default: the most useful ones]")
        .value_delimiter(',');
    command.args([format, columns].map(|arg| arg.global(true).help_heading("Output")))
}

/// Writes responses.
pub(crate) struct Output {
    format: Format,
    table: Table,
    /// The requested columns, until the first rows show whether they exist.
    asked: Option<Vec<String>>,
    /// The name before warnings.
    name: &'static str,
}

impl Output {
    /// The output of the options. By default, a table has the columns of `usual`.
    pub(crate) fn of(name: &'static str, matches: &ArgMatches, usual: &[&str]) -> Self {
        let format = matches.get_one::<Format>(OUTPUT).copied().unwrap_or(Format::Json);
        let asked = matches.get_many::<String>(COLUMNS);
        let asked: Option<Vec<String>> = asked.map(|names| names.cloned().collect());
        let columns = match &asked {
            Some(names) => names.clone(),
            None => usual.iter().map(|name| (*name).to_owned()).collect(),
        };
        let all = columns.is_empty() || columns == [ALL_COLUMNS];
        Self {
            format,
            table: Table::new((!all).then_some(columns)),
            asked: asked.filter(|_| !all),
            name,
        }
    }

    /// Writes a response; as a table, the rows of its list.
    pub(crate) fn value(&mut self, response: &Response<Body>, list: Option<&str>) -> Outcome {
        if self.format == Format::Table {
            let value: Value = response.decode()?;
            return self.rows(&rows_of(value, list));
        }
        let sent: Box<RawValue> = response.decode()?;
        let pretty = match self.format {
            Format::Json => io::stdout().is_terminal(),
            format => format == Format::Pretty,
        };
        let text = match pretty {
            true => text::pretty(sent.get()),
            false if self.format == Format::Json => sent.get().to_owned(),
            false => text::compact(sent.get()),
        };
        shown(format!("{text}\n"))
    }

    /// Writes the items of a page, one per line.
    pub(crate) fn items(&mut self, page: &Response<Body>, list: &str) -> Outcome {
        if self.format == Format::Table {
            return self.value(page, Some(list));
        }
        let page: Box<RawValue> = page.decode()?;
        let items = raw_items(page, list).map_err(io::Error::from)?;
        let lines: String = items.iter().map(|item| text::compact(item.get()) + "\n").collect();
        shown(lines)
    }

    fn rows(&mut self, rows: &[Value]) -> Outcome {
        if !rows.is_empty()
            && let Some(asked) = self.asked.take()
        {
            check_columns(self.name, &asked, rows)?;
        }
        write(self.table.write(rows).as_bytes())
    }
}

/// Fails where rows have none of the columns, and warns of each that they lack: an optional member may be missing.
fn check_columns(name: &str, asked: &[String], rows: &[Value]) -> Outcome {
    let missing = asked
        .iter()
        .filter(|name| !rows.iter().any(|row| has_column(row, name)));
    let missing: Vec<_> = missing.map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "--columns: no row has {}; there are {}",
        missing.join(", "),
        column_names(rows).join(", ")
    );
    if missing.len() == asked.len() {
        return Err(Failure::Columns(text));
    }
    // A failure of standard error cannot be reported.
    let _ = writeln!(io::stderr(), "{name}: {}", one_line(&text));
    Ok(())
}

/// The items of a page as they were received. `path` leads to their list, such as `users`, or `groups.*.data` where the lists
/// are within those of a map; it is empty where the page is the list.
fn raw_items(page: Box<RawValue>, path: &str) -> serde_json::Result<Vec<Box<RawValue>>> {
    if path.is_empty() {
        return serde_json::from_str(page.get());
    }
    let mut found = vec![page];
    for name in path.split('.') {
        let mut next = Vec::new();
        for value in &found {
            let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(value.get())?;
            let lists = match name {
                "*" => members.into_values().collect(),
                name => Vec::from_iter(members.remove(name)),
            };
            for list in lists {
                match list.get().starts_with('[') {
                    true => next.extend(serde_json::from_str::<Vec<_>>(list.get())?),
                    false => next.push(list),
                }
            }
        }
        found = next;
    }
    found.retain(|item| item.get() != "null");
    Ok(found)
}

/// The values at the end of a path, as [`raw_items`] has them.
fn items_of(value: Value, path: &str) -> Vec<Value> {
    path.split('.').fold(vec![value], |found, name| {
        let members = found.into_iter().filter_map(|value| match value {
            Value::Object(members) => Some(members),
            _ => None,
        });
        let values = members.flat_map(|mut members| match name {
            "*" => members.into_iter().map(|(_, value)| value).collect(),
            name => Vec::from_iter(members.remove(name)),
        });
        let items = values.flat_map(|value| match value {
            Value::Array(items) => items,
            value => vec![value],
        });
        items.filter(|item| !item.is_null()).collect()
    })
}

/// The rows of a response: the items of its list, also of one wrapped in an object, or the response as one row.
fn rows_of(value: Value, list: Option<&str>) -> Vec<Value> {
    if let Some(path) = list.filter(|path| !path.is_empty()) {
        return items_of(value, path);
    }
    match value {
        Value::Array(rows) => rows,
        Value::Object(members) if members.len() == 1 && members.values().all(Value::is_array) => {
            members.into_iter().flat_map(|(_, list)| rows_of(list, None)).collect()
        }
        value => vec![value],
    }
}

/// Writes JSON. On a terminal, control characters that JSON leaves as they are become escapes.
fn shown(json: String) -> Outcome {
    match io::stdout().is_terminal() {
        true => write(text::escape_controls(&json).as_bytes()),
        false => write(json.as_bytes()),
    }
}

pub(crate) fn write(text: &[u8]) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    Ok(out.flush()?)
}
