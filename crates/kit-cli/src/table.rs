//! Text tables.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// A table that may be written in several parts with one header.
pub(crate) struct Table {
    /// Given, or the columns of the first rows.
    columns: Option<Vec<String>>,
    /// The widths of the columns, once the header is written.
    widths: Vec<usize>,
}

impl Table {
    pub(crate) fn new(columns: Option<Vec<String>>) -> Self {
        Self {
            columns,
            widths: Vec::new(),
        }
    }

    /// Rows as lines, after the header the first time. Later rows have the widths of the first.
    pub(crate) fn write(&mut self, rows: &[Value]) -> String {
        let rows: Vec<_> = rows.iter().map(cells).collect();
        let columns = self.columns.get_or_insert_with(|| names(&rows));
        let line = |row: &[(String, String)]| -> Vec<String> {
            let cell = |name| {
                row.iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, text)| text.clone())
            };
            columns.iter().map(|name| cell(name).unwrap_or_default()).collect()
        };
        let mut lines: Vec<_> = rows.iter().map(|row| line(row)).collect();
        if self.widths.is_empty() && !columns.is_empty() {
            lines.insert(0, columns.clone());
            let widest = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
            self.widths = (0..columns.len()).map(widest).collect();
        }
        lines.iter().map(|line| self.padded(line)).collect()
    }

    fn padded(&self, line: &[String]) -> String {
        let mut text = String::new();
        for (cell, width) in line.iter().zip(&self.widths) {
            let spaces = width.saturating_sub(cell.width()) + 2;
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', spaces));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// The columns for which rows have values.
pub(crate) fn column_names(rows: &[Value]) -> Vec<String> {
    names(&rows.iter().map(cells).collect::<Vec<_>>())
}

/// Returns whether a row has a column, also if its value is null.
pub(crate) fn has_column(row: &Value, name: &str) -> bool {
    let Value::Object(members) = row else {
        return name == "value";
    };
    let nested = || {
        let (outer, inner) = name.split_once('.')?;
        let outer = members.get(outer)?;
        Some(outer.is_null() || outer.get(inner).is_some())
    };
    members.contains_key(name) || nested().unwrap_or(false)
}

/// The columns for which rows have values, in order.
fn names(rows: &[Vec<(String, String)>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// The named values of a row. A nested object of scalars has a column for each of them.
fn cells(row: &Value) -> Vec<(String, String)> {
    let Value::Object(members) = row else {
        return vec![("value".to_owned(), cell(row))];
    };
    let mut cells = Vec::new();
    for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
        match value {
            Value::Object(inner) if inner.values().all(is_plain) => {
                let inner = inner.iter().filter(|(_, value)| !value.is_null());
                cells.extend(inner.map(|(member, value)| (format!("{name}.{member}"), cell(value))));
            }
            value => cells.push((name.clone(), cell(value))),
        }
    }
    cells
}

fn is_plain(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// A value in short: lists of scalars in full, other lists and objects by their length.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shown(text),
        Value::Array(items) if !items.is_empty() && items.iter().all(is_plain) => {
            items.iter().map(cell).collect::<Vec<_>>().join(", ")
        }
        Value::Array(items) => format!("[{}]", items.len()),
        Value::Object(members) => format!("{{{}}}", members.len()),
        plain => plain.to_string(),
    }
}

/// A text on one line, with control characters escaped.
fn shown(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c.is_control() {
            true => c.escape_default().collect::<Vec<_>>(),
            false => vec![c],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Table, has_column};

    #[test]
    fn a_member_without_a_value_is_a_column() {
        let row = json!({"id": 1, "zone": {"id": "UTC"}, "end": null});
        for (name, known) in [
            ("id", true),
            ("zone", true),
            ("zone.id", true),
            ("end", true),
            ("end.at", true),
            ("zone.at", false),
            ("nope", false),
            ("value", false),
        ] {
            assert_eq!(has_column(&row, name), known, "{name}");
        }
        assert!(has_column(&json!(7), "value"));
    }

    #[test]
    fn columns_are_those_that_have_values() {
        let rows = [
            json!({"id": 1, "name": "one", "zone": {"id": "UTC", "at": null}, "end": null, "tags": ["a", "b"]}),
            json!({"id": 22, "name": "größer", "parts": [{"a": 1}], "deep": {"a": {"b": 1}}, "tags": []}),
        ];
        let expected = "\
id  name    zone.id  tags  parts  deep
1   one     UTC      a, b
22  größer           [0]   [1]    {1}
";
        assert_eq!(Table::new(None).write(&rows), expected);
    }

    #[test]
    fn later_rows_stand_below_the_same_head() {
        let mut table = Table::new(None);
        assert_eq!(table.write(&[json!({"a": "xyz", "b": 1})]), "a    b\nxyz  1\n");
        assert_eq!(table.write(&[json!({"a": "wider", "b": 2, "c": 3})]), "wider  2\n");
        assert_eq!(table.write(&[]), "");
        let mut chosen = Table::new(Some(vec!["b".to_owned(), "none".to_owned()]));
        assert_eq!(chosen.write(&[json!({"a": 1, "b": 2})]), "b  none\n2\n");
        assert_eq!(Table::new(None).write(&[]), "", "nothing has no columns");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        let rows = [json!({"a": "x\u{1b}[2J\ny", "b": "日本"}), json!({"a": "z", "b": "c"})];
        assert_eq!(
            Table::new(None).write(&rows),
            "a              b\nx\\u{1b}[2J\\ny  日本\nz              c\n"
        );
    }
}
