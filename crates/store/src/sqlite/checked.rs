//! Statements that read tables through their checksums.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::checksum::{intact, tables};

/// A statement that reads, with all tables read through their checksums.
///
/// What only counts rows, or looks whether there are some or where they end, answers from an index and reads no row. Nor
/// does what reads how long a value is: a checksum would need the value.
pub(crate) fn checked(sql: &str) -> Arc<str> {
    static KNOWN: LazyLock<RwLock<HashMap<Box<str>, Arc<str>>>> = LazyLock::new(RwLock::default);
    if let Some(known) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(sql) {
        return known.clone();
    }
    let checked: Arc<str> = check(sql).into();
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.insert(sql.into(), checked.clone());
    checked
}

fn check(sql: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut checked = String::new();
    // Of each part in brackets that is open, whether it reads rows.
    let mut reads = vec![false];
    let mut word_before = "";
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let end = match is_name(first) {
            true => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        match first {
            // What is in brackets is of the same rows, unless it is a statement of its own.
            '(' => reads.push(reads.last() == Some(&true)),
            ')' if reads.len() > 1 => drop(reads.pop()),
            _ => {}
        }
        let last = reads.last_mut();
        if word == "SELECT"
            && let Some(last) = last
        {
            *last = reads_rows(rest);
        }
        let table = tables()
            .find(|table| table.name == word && ["FROM", "JOIN"].contains(&word_before) && reads.last() == Some(&true));
        match table {
            Some(table) => {
                checked.push_str(&intact(table));
                let named = rest.trim_start().starts_with("AS ");
                if !named {
                    checked.push_str(&format!(" AS {word}"));
                }
            }
            // Of `column = constant`, the engine puts the constant in place of the column everywhere, also where it has
            // not compared them yet: a row would be taken for a damaged one. Of `column IS constant`, it does not.
            None if reads.last() == Some(&true) && is_equals(word_before, word, rest) => checked.push_str("IS"),
            None => checked.push_str(word),
        }
        if !first.is_whitespace() {
            word_before = word;
        }
    }
    checked
}

/// Whether a word compares something with a parameter. Literals stay as they are, so that partial indexes of them are used.
fn is_equals(word_before: &str, word: &str, rest: &str) -> bool {
    word == "=" && !["<", ">", "!"].contains(&word_before) && rest.trim_start().starts_with('?')
}

/// Whether what follows the word SELECT reads more than how many rows there are, and how long they are.
fn reads_rows(list: &str) -> bool {
    let list = list.trim_start();
    let counts = [
        "1 ",
        "count(",
        "min(",
        "max(",
        "coalesce(max(",
        "EXISTS (",
        "NOT EXISTS (",
        "DISTINCT team_id ",
        "octet_length(",
    ];
    !counts.iter().any(|count| list.starts_with(count))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn rows_are_read_through_their_checksums_and_counted_without() {
        let meta = "(SELECT name, value FROM meta WHERE row_intact(checksum, name, value))";
        for (sql, expected) in [
            (
                "SELECT value FROM meta WHERE name = ?1 AND value <= ?2",
                format!("SELECT value FROM {meta} AS meta WHERE name IS ?1 AND value <= ?2"),
            ),
            (
                "SELECT value FROM meta WHERE (name = ?1 OR name = ?2) AND value IN (?3, ?4)",
                format!("SELECT value FROM {meta} AS meta WHERE (name IS ?1 OR name IS ?2) AND value IN (?3, ?4)"),
            ),
            (
                "SELECT m.value FROM meta AS m",
                format!("SELECT m.value FROM {meta} AS m"),
            ),
            (
                "SELECT 1 + (SELECT value FROM meta), EXISTS (SELECT 1 FROM meta)",
                format!("SELECT 1 + (SELECT value FROM {meta} AS meta), EXISTS (SELECT 1 FROM meta)"),
            ),
            (
                "SELECT (SELECT coalesce(max(number), 0) FROM events), (SELECT value FROM meta WHERE name = 'a')",
                format!(
                    "SELECT (SELECT coalesce(max(number), 0) FROM events), (SELECT value FROM {meta} AS meta WHERE name = 'a')"
                ),
            ),
            ("SELECT count(*) FROM meta", "SELECT count(*) FROM meta".to_owned()),
            (
                "SELECT octet_length(value) FROM meta LIMIT 2",
                "SELECT octet_length(value) FROM meta LIMIT 2".to_owned(),
            ),
            (
                "DELETE FROM meta WHERE name = ?1",
                "DELETE FROM meta WHERE name = ?1".to_owned(),
            ),
            (
                "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                WHERE meta.value IS DISTINCT FROM excluded.value",
                "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                WHERE meta.value IS DISTINCT FROM excluded.value"
                    .to_owned(),
            ),
        ] {
            assert_eq!(check(sql), expected);
        }
    }
}
