//! Writes responses as JSON or as a table.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

use clap::builder::EnumValueParser;
use clap::{Arg, ArgMatches, Command, ValueEnum};
use serde_json::Value;
use serde_json::value::RawValue;
use wearlab_client::{Body, Response};

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
    /// The columns that were asked for, until the first rows show whether there are such.
    asked: Option<Vec<String>>,
}

impl Output {
    /// The output of the options. By default, a table has the columns of `usual`.
    pub(crate) fn of(matches: &ArgMatches, usual: &[&str]) -> Self {
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
        write(format!("{text}\n").as_bytes())
    }

    /// Writes the items of a page, one per line.
    pub(crate) fn items(&mut self, page: &Response<Body>, list: &str) -> Outcome {
        if self.format == Format::Table {
            return self.value(page, Some(list));
        }
        let mut members: HashMap<String, Box<RawValue>> = page.decode()?;
        let items = members.remove(list).unwrap_or_default();
        let items: Option<Vec<&RawValue>> = serde_json::from_str(items.get()).map_err(io::Error::from)?;
        let lines = items.iter().flatten().map(|item| text::compact(item.get()) + "\n");
        let lines: String = lines.collect();
        write(lines.as_bytes())
    }

    fn rows(&mut self, rows: &[Value]) -> Outcome {
        if !rows.is_empty()
            && let Some(asked) = self.asked.take()
        {
            check_columns(&asked, rows)?;
        }
        write(self.table.write(rows).as_bytes())
    }
}

/// Fails where rows have none of the columns, and warns of each that they lack: an optional member may be missing.
fn check_columns(asked: &[String], rows: &[Value]) -> Outcome {
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
    let _ = writeln!(io::stderr(), "wearlab: {}", one_line(&text));
    Ok(())
}

/// The rows of a response: the items of its list, also of one wrapped in an object, or the response as one row.
fn rows_of(value: Value, list: Option<&str>) -> Vec<Value> {
    match value {
        Value::Array(rows) => rows,
        Value::Object(mut members) => match list.and_then(|list| members.remove(list)) {
            Some(rows) => rows_of(rows, None),
            None if members.len() == 1 && members.values().all(Value::is_array) => {
                members.into_iter().flat_map(|(_, list)| rows_of(list, None)).collect()
            }
            None => vec![Value::Object(members)],
        },
        value => vec![value],
    }
}

pub(crate) fn write(text: &[u8]) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    Ok(out.flush()?)
}
