//! Edits of a YAML document, line by line, decoded from bytes: likely ones and unlikely ones.

/// Bytes of one edit: kind, position (two), other position (two), word.
const EDIT: usize = 6;

/// Words with a meaning in the document, values of every kind, and pitfalls of YAML parsers.
const WORDS: [&str; 96] = [
    "null",
    "~",
    "true",
    "no",
    "0",
    "1",
    "-1",
    "1.5",
    "1e400",
    "0x1F",
    "012",
    "1_000",
    ".nan",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "4294967296",
    "\"\"",
    "''",
    "\" \"",
    "[]",
    "{}",
    "[1, {}]",
    "{a: b}",
    "[string, \"null\"]",
    "[\"null\"]",
    "[string, integer]",
    "|",
    ">-",
    "&a a",
    "*a",
    "!!str 1",
    "<<",
    "? a",
    "- -",
    "# a",
    "%YAML 1.1",
    "---",
    "...",
    "@a",
    "`a`",
    "'a",
    "\"a",
    "\"\\u0000\"",
    "\"\\U0001F469\\u200D\"",
    "[",
    "{",
    "]",
    "a: b: c",
    "string",
    "integer",
    "number",
    "boolean",
    "array",
    "object",
    "uuid",
    "date",
    "date-time",
    "password",
    "int32",
    "int64",
    "path",
    "query",
    "header",
    "cookie",
    "self",
    "type",
    "Self",
    "other",
    "Other",
    "unknown",
    "build",
    "extra",
    "9lives",
    "Öl",
    "ß",
    "a b",
    "a/b",
    "a~b",
    "~0~1",
    "{x}",
    "/",
    "//",
    "/{user_id}",
    "*",
    "$ref",
    "oneOf",
    "allOf",
    "x-tag",
    "enum",
    "default",
    "#/components/schemas/User",
    "#/components/schemas/Nobody",
    "#/components/schemas/a~1b",
    "#/",
    "other.yaml#/a",
];

/// The document after all edits that the bytes encode.
pub(crate) fn edited(document: &str, bytes: &[u8]) -> String {
    let mut lines: Vec<String> = document.lines().map(str::to_owned).collect();
    for edit in bytes.chunks_exact(EDIT) {
        let [what, a, b, c, d, word] = *edit else { continue };
        if lines.is_empty() {
            break;
        }
        let at = usize::from(u16::from_be_bytes([a, b])) % lines.len();
        let from = usize::from(u16::from_be_bytes([c, d])) % lines.len();
        one(&mut lines, what, at, from, word);
    }
    lines.join("\n")
}

fn one(lines: &mut Vec<String>, what: u8, at: usize, from: usize, word: u8) {
    let words = WORDS[usize::from(word) % WORDS.len()];
    let few = (at + 1 + usize::from(word % 8)).min(lines.len());
    match what % 16 {
        0 => drop(lines.remove(at)),
        1 => drop(lines.drain(block(lines, at))),
        2 => lines.insert(at, lines[at].clone()),
        3 => lines.swap(at, from),
        4 => lines[at..few].iter_mut().for_each(|line| line.insert_str(0, "  ")),
        5 => lines[at..few]
            .iter_mut()
            .for_each(|line| *line = line.strip_prefix("  ").unwrap_or(line).to_owned()),
        6 | 7 => lines[at] = join(&lines[at], None, Some(words)),
        8 => lines[at] = join(&lines[at], Some(words), None),
        9 => lines[at] = join(&lines[at], None, split(&lines[from]).2),
        10 => lines[at] = join(&lines[at], Some(split(&lines[from]).1), None),
        // Another part of the document instead of this one, or before it.
        11 => drop(lines.splice(block(lines, at), moved(lines, from, at))),
        12 => drop(lines.splice(at..at, moved(lines, from, at))),
        13 => lines.insert(at, format!("{}{words}: {words}", &lines[at][..indent(&lines[at])])),
        14 => {
            let places: Vec<_> = lines[at].char_indices().map(|(place, _)| place).collect();
            let place = places.get(from % places.len().max(1)).copied().unwrap_or(0);
            let odd = [
                '\t', '\0', '\r', '\u{feff}', '\u{85}', '\u{2028}', 'é', '👩', ':', '"', '\'', '{', ']', '&', '#', '\\',
            ];
            lines[at].insert(place, odd[usize::from(word) % odd.len()]);
        }
        _ => lines.truncate(at + 1),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// A line, and the deeper ones below it.
fn block(lines: &[String], at: usize) -> std::ops::Range<usize> {
    let depth = indent(&lines[at]);
    let below = lines[at + 1..]
        .iter()
        .take_while(|line| line.is_empty() || indent(line) > depth);
    at..at + 1 + below.count()
}

/// The block at `from`, indented as the line `to` is.
fn moved(lines: &[String], from: usize, to: usize) -> Vec<String> {
    let (old, new) = (indent(&lines[from]), indent(&lines[to]));
    let block = lines[block(lines, from)].iter();
    block
        .map(|line| format!("{:new$}{}", "", line.get(old..).unwrap_or("")))
        .collect()
}

/// The text before the key, the key, and the value.
fn split(line: &str) -> (&str, &str, Option<&str>) {
    let begin = line.len() - line.trim_start_matches([' ', '-']).len();
    let (before, rest) = line.split_at(begin);
    match rest.split_once(": ") {
        Some((key, value)) => (before, key, Some(value)),
        None => match rest.strip_suffix(':') {
            Some(key) => (before, key, None),
            None => (before, "", Some(rest)),
        },
    }
}

/// The line with another key or value, if it has one and they are given.
fn join(line: &str, key: Option<&str>, value: Option<&str>) -> String {
    let (before, old, known) = split(line);
    let key = if old.is_empty() { old } else { key.unwrap_or(old) };
    match (key, value.or(known)) {
        ("", value) => format!("{before}{}", value.unwrap_or("")),
        (key, Some(value)) => format!("{before}{key}: {value}"),
        (key, None) => format!("{before}{key}:"),
    }
}
