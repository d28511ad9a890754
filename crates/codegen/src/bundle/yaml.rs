//! Writes a JSON value as YAML 1.2 in block style, in its own order.

use serde_json::Value;

/// Words that a YAML 1.1 or 1.2 parser may read as something other than a string.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// The value as YAML, with a line break at its end.
pub(crate) fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

/// Writes the value after a key's colon or an item's dash, up to and with the line break.
fn write(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push_str(&indent);
                }
                out.push_str(&plain_or_quoted(key));
                out.push(':');
                nested(member, depth + 1, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(&indent);
                }
                out.push_str("- ");
                write(item, depth + 1, out);
            }
        }
        Value::String(text) if is_block(text) => {
            out.push_str(if text.ends_with('\n') { "|\n" } else { "|-\n" });
            for line in text.lines() {
                let line = if line.is_empty() {
                    String::new()
                } else {
                    format!("{indent}{line}")
                };
                out.push_str(&line);
                out.push('\n');
            }
        }
        Value::String(text) => {
            out.push_str(&plain_or_quoted(text));
            out.push('\n');
        }
        scalar => {
            out.push_str(&scalar.to_string());
            out.push('\n');
        }
    }
}

/// Writes the value of a key: an object or a list begins on a line of its own.
fn nested(value: &Value, depth: usize, out: &mut String) {
    let filled = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if filled {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    } else {
        out.push(' ');
    }
    write(value, depth, out);
}

/// Returns whether a text of several lines can be a literal block (`|`).
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with([' ', '\n'])
        && body.lines().all(|line| !line.ends_with([' ', '\r']))
        && body.chars().all(|c| c == '\n' || is_printable(c))
}

/// A string without quotes where every parser reads it as a string; otherwise quoted as in JSON.
fn plain_or_quoted(text: &str) -> String {
    let first = text.chars().next().unwrap_or(' ');
    let plain = (first.is_ascii_alphabetic() || ['/', '$', '_'].contains(&first))
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(is_printable)
        && !WORDS.contains(&text.to_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    let escaped = |c: char| match is_printable(c) {
        true => c.to_string(),
        false => format!("\\u{:04x}", u32::from(c)),
    };
    Value::from(text).to_string().chars().map(escaped).collect()
}

fn is_printable(c: char) -> bool {
    !c.is_control() && !['\u{2028}', '\u{2029}', '\u{feff}'].contains(&c)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::to_yaml;
    use crate::source::Source;

    fn read(text: &str) -> Value {
        Source::parse(&("it.yaml", text).into())
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
            .value
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let texts = [
            "",
            " ",
            "a",
            "null",
            "NULL",
            "true",
            "Yes",
            "off",
            "~",
            "1",
            "1.5",
            "0x1",
            "2024-01-01",
            "a: b",
            "a:b",
            "a:",
            "a #b",
            "a#b",
            "- a",
            "-",
            "{a}",
            "[a]",
            "/a/{b}",
            "$ref",
            "#",
            "`a`",
            "\"a\"",
            "'a'",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "a\nb",
            "a\nb\n",
            "a\n\nb\n\n",
            "\na\nb",
            " a\nb",
            "a \nb",
            "a\n  b\n c\n",
            "a\tb",
            "\u{7f}",
            "größe",
            "a\r\nb",
            "|",
            ">",
            "? a",
            "a, b",
            "a\u{2028}b",
            "---",
            "...",
        ];
        let mut value =
            json!({"empty": {}, "none": [], "list": [[1, [2, {}]], [], {"a": 1, "b": [null]}], "n": -1.5, "t": true});
        for (index, text) in texts.iter().enumerate() {
            value[*text] = json!([text, {*text: text}, index]);
        }
        assert_eq!(read(&to_yaml(&value)), value);
    }

    #[test]
    fn it_reads_well() {
        let value = json!({
            "/v2/user/{user_id}": {"get": {"responses": {"200": {"description": "Found.\nAll of it."}}}},
            "tags": ["users", "on"],
            "schemas": [{"type": "string", "enum": []}],
        });
        let expected = "/v2/user/{user_id}:\n  get:\n    responses:\n      \"200\":\n        description: |-\n          Found.\n          All of it.\ntags:\n  - users\n  - \"on\"\nschemas:\n  - type: string\n    enum: []\n";
        assert_eq!(to_yaml(&value), expected);
    }
}
