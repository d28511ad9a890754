//! Parser of lines, with the location of errors.

mod nul;
mod position;
mod words;

use std::fmt;
use std::sync::LazyLock;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use serde_path_to_error::Segment;
use wearlab_labs::most_similar;

pub use self::position::with_field;
use self::position::{Step, column};
pub use self::words::Words;

/// Reason why a line was rejected. Neither its `Debug` nor its text quotes the line, except names of fields of the
/// schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// Field, as a path from the kind of record down, such as `user.fallback_time_zone.id`; empty for the line. A name
    /// that no schema has is a `*`.
    pub path: String,
    /// Reason, as a message.
    pub reason: String,
}

impl LineError {
    /// Creates the error of a field; an empty path is that of the line.
    pub fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

/// Rejects a blank text.
///
/// # Errors
///
/// Returns an error with the path of the field.
pub fn filled(path: &str, text: &str) -> Result<(), LineError> {
    match text.trim().is_empty() {
        true => Err(LineError::new(path, "must not be empty")),
        false => Ok(()),
    }
}

/// Checks that a text is no longer than so many characters.
pub(crate) fn at_most(path: &str, text: &str, most: usize) -> Result<(), LineError> {
    match text.chars().nth(most) {
        Some(_) => Err(LineError::new(
            path,
            format!("must not be longer than {most} characters"),
        )),
        None => Ok(()),
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "{}", self.reason),
            path => write!(f, "{path}: {}", self.reason),
        }
    }
}

impl std::error::Error for LineError {}

/// Message about a line that is JSON, but neither a record nor an arrival.
const SHAPE: &str = "not an object with one member, such as {\"user\": {...}}";

/// Maximum levels of objects and lists of a line.
const DEEPEST: usize = 127;

/// Format of lines: the type of their values, and the words that messages about them may contain.
pub struct LineFormat<T> {
    kind: fn(&T) -> &'static str,
    words: LazyLock<Words>,
}

impl<T: DeserializeOwned> LineFormat<T> {
    /// Creates a format. `kind` names the kind of a value, which is the name of the only member of its line.
    pub const fn new(kind: fn(&T) -> &'static str, words: fn() -> Words) -> Self {
        Self {
            kind,
            words: LazyLock::new(words),
        }
    }

    /// Reads one line: an object with one member, whose name is the kind.
    ///
    /// Unknown fields are rejected: they may be misspelled.
    ///
    /// # Errors
    ///
    /// Returns the error of the line, and its location.
    pub fn read(&self, line: &str) -> Result<T, LineError> {
        let mut json = serde_json::Deserializer::from_str(line);
        let mut track = serde_path_to_error::Track::new();
        let mut unknown: Option<Vec<Step>> = None;
        let value = serde_ignored::deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track), |path| {
            unknown.get_or_insert_with(|| {
                let mut steps = Vec::new();
                ignored_steps(&path, &mut steps);
                steps
            });
        });
        let value: T = value.map_err(|error| self.refusal(line, &steps(&track.path()), &error))?;
        json.end().map_err(|error| self.refusal(line, &[], &error))?;
        if let Some(path) = nul::find(line) {
            return Err(LineError::new(self.shown(&path), "must not contain the character NUL"));
        }
        match unknown {
            // The kind is not part of the path.
            Some(path) => Err(self.unknown_field(
                line,
                &[&[Step::Member((self.kind)(&value).to_owned())], path.as_slice()].concat(),
                &[],
            )),
            None => Ok(value),
        }
    }

    /// Formats a path for messages: unknown names of the line are masked.
    fn shown(&self, path: &[Step]) -> String {
        let mut text = String::new();
        for step in path {
            match step {
                Step::Item(index) => text.push_str(&format!("[{index}]")),
                Step::Member(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(if self.words.contains(name) { name } else { "*" });
                }
            }
        }
        text
    }

    /// Returns the error of an unknown field. `fields` are the existing ones, if they can be listed.
    fn unknown_field(&self, line: &str, path: &[Step], fields: &[String]) -> LineError {
        let at = column(line, path).map_or_else(String::new, |column| format!(" at column {column}"));
        let (within, name) = match path {
            [within @ .., Step::Member(name)] => (within, name.as_str()),
            path => (path, ""),
        };
        let known = self.words.iter();
        let known = known.filter(|known| fields.is_empty() || fields.iter().any(|field| field == known));
        let hint = match most_similar(name, known) {
            Some(similar) => format!("; did you mean `{similar}`?"),
            None if fields.is_empty() => String::new(),
            None => format!("; expected one of {}", fields.join(", ")),
        };
        LineError::new(self.shown(within), format!("unknown field{at}{hint}"))
    }

    fn refusal(&self, line: &str, path: &[Step], error: &serde_json::Error) -> LineError {
        if let Some(column) = too_deep(line) {
            return LineError::new(
                "",
                format!("nesting is deeper than {DEEPEST} levels, at column {column}"),
            );
        }
        let message = error.to_string();
        if error.classify() == Category::Data {
            return match self.words.expectation(&message) {
                // An error about the kind is one of the line.
                Some(expected) if expected.ends_with("variant") => LineError::new("", SHAPE),
                _ if message.starts_with("unknown field ") => {
                    self.unknown_field(line, path, &self.words.listed(&message))
                }
                _ if message.starts_with("unknown variant ") && path.len() < 2 => {
                    let kinds = self.words.listed(&message).join(", ");
                    LineError::new("", format!("unknown kind; expected one of {kinds}"))
                }
                expected => LineError::new(
                    self.shown(path),
                    expected.unwrap_or_else(|| "not of the expected form".to_owned()),
                ),
            };
        }
        let column = error.column();
        let named = [
            ("number out of range", "number is out of range"),
            ("invalid escape", "invalid escape in a string"),
            (
                "invalid unicode code point",
                "invalid escape in a string: no such character",
            ),
            (
                "lone leading surrogate",
                "invalid escape in a string: half of a surrogate pair",
            ),
            (
                "unexpected end of hex escape",
                "invalid escape in a string: half of a surrogate pair",
            ),
            (
                "control character",
                "control character in a string: write it as an escape such as \\n",
            ),
        ];
        if let Some((_, what)) = named.iter().find(|(start, _)| message.starts_with(start)) {
            return LineError::new(self.shown(path), format!("{what}, at column {column}"));
        }
        match serde_json::from_str::<IgnoredAny>(line) {
            Ok(_) => LineError::new("", SHAPE),
            Err(_) => LineError::new("", format!("not JSON from column {column} on")),
        }
    }

    /// Returns the error of a value that is a field of a line.
    pub fn of_field(&self, field: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> LineError {
        let path = match self.shown(&steps(error.path())).as_str() {
            "" => field.to_owned(),
            path => format!("{field}.{path}"),
        };
        let expected = self.words.expectation(&error.inner().to_string());
        LineError::new(path, expected.unwrap_or_else(|| "not of the expected form".to_owned()))
    }
}

fn ignored_steps(path: &serde_ignored::Path<'_>, steps: &mut Vec<Step>) {
    use serde_ignored::Path;
    match path {
        Path::Root => {}
        Path::Seq { parent, index } => {
            ignored_steps(parent, steps);
            steps.push(Step::Item(*index));
        }
        Path::Map { parent, key } => {
            ignored_steps(parent, steps);
            steps.push(Step::Member(key.clone()));
        }
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            ignored_steps(parent, steps);
        }
    }
}

fn steps(path: &serde_path_to_error::Path) -> Vec<Step> {
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => Step::Item(*index),
        Segment::Map { key } => Step::Member(key.clone()),
        Segment::Enum { variant } => Step::Member(variant.clone()),
        Segment::Unknown => Step::Member(String::new()),
    };
    path.iter().map(step).collect()
}

/// Returns the column at which a line exceeds the maximum levels, if it does.
fn too_deep(line: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (column, byte) in (1..).zip(line.bytes()) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Some(column);
        }
    }
    None
}
