//! One line to one value, or what is wrong with it and where.

use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;

/// Why a line was refused. Neither its `Debug` nor its text holds a value of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The field, as a path from the kind of record down, such as `user.fallback_time_zone.id`; empty for the line.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

impl LineError {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
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

/// Reads one line: an object with one member, whose name says the kind. `kind` names that of a value.
///
/// A field that no value has is refused: it may be one that is misspelled.
///
/// # Errors
///
/// What is wrong with the line, and where.
pub(crate) fn read_line<T: DeserializeOwned>(line: &str, kind: fn(&T) -> &'static str) -> Result<T, LineError> {
    let mut json = serde_json::Deserializer::from_str(line);
    let mut track = serde_path_to_error::Track::new();
    let mut unknown = None;
    let value = serde_ignored::deserialize(serde_path_to_error::Deserializer::new(&mut json, &mut track), |path| {
        unknown.get_or_insert_with(|| path_text(&path));
    });
    let value: T = value.map_err(|error| refusal(line, &track.path().to_string(), &error))?;
    json.end().map_err(|error| refusal(line, "", &error))?;
    match unknown {
        // The kind is not part of the path.
        Some(path) => Err(LineError::new(
            format!("{}{path}", kind(&value)),
            "there is no such field",
        )),
        None => Ok(value),
    }
}

fn path_text(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path;
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", path_text(parent)),
        Path::Map { parent, key } => format!("{}.{key}", path_text(parent)),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => path_text(parent),
    }
}

fn refusal(line: &str, path: &str, error: &serde_json::Error) -> LineError {
    let path = if path == "." { "" } else { path };
    match error.classify() {
        Category::Data => LineError::new(path, reason(&error.to_string())),
        _ if serde_json::from_str::<IgnoredAny>(line).is_ok() => {
            LineError::new("", "not an object with one member, such as {\"user\": {...}}")
        }
        _ => LineError::new("", format!("not JSON from column {} on", error.column())),
    }
}

/// What is wrong with a value that is a field of a line.
pub(crate) fn of_field(field: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> LineError {
    let path = match error.path().to_string().as_str() {
        "." => field.to_owned(),
        path => format!("{field}.{path}"),
    };
    LineError::new(path, reason(&error.inner().to_string()))
}

/// The message of the reader without the value that it is about.
fn reason(message: &str) -> String {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    let tells_a_value = ["invalid type: ", "invalid value: ", "invalid length "];
    if tells_a_value.iter().any(|start| message.starts_with(start)) {
        // The value comes first, and may hold anything.
        let expected = message.rsplit_once(", expected ").map(|(_, expected)| expected);
        return expected.map_or_else(
            || "of the wrong kind".to_owned(),
            |expected| format!("expected {expected}"),
        );
    }
    // What the reader of dates says tells little.
    match message {
        "input is out of range" => "there is no such date or time".to_owned(),
        "input contains invalid characters" | "premature end of input" | "trailing input" => {
            "expected a date or time of ISO 8601, such as 2026-01-31 or 2026-01-31T10:00:00Z".to_owned()
        }
        message => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use wearlab_store::Record;

    fn read_line(line: &str) -> Result<Record, super::LineError> {
        super::read_line(line, Record::kind)
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_without_its_value() {
        let shape = "not an object with one member, such as {\"user\": {...}}";
        let date = "expected a date or time of ISO 8601, such as 2026-01-31 or 2026-01-31T10:00:00Z";
        for (line, said) in [
            (r#"["#, "not JSON from column 1 on"),
            (r#"[]"#, shape),
            (r#"{}"#, shape),
            (r#"{"organisation": {"org_id": "o"}, "team": 1}"#, shape),
            (r#"{"team": "#, "not JSON from column 9 on"),
            (r#"{"organisation": {"org_id": "o"}} {}"#, "not JSON from column 35 on"),
            (
                r#"{"organisation": {"org_id": 7}}"#,
                "organisation.org_id: expected a string",
            ),
            (r#"{"organisation": {}}"#, "organisation: missing field `org_id`"),
            (
                r#"{"organisation": {"org_id": "o", "colour": 1}}"#,
                "organisation.colour: unknown field `colour`, expected `org_id`",
            ),
            (
                r#"{"cancellation_reason": {"id": "i", "name": "n", "is_refundable": true, "colour": 1}}"#,
                "cancellation_reason.colour: there is no such field",
            ),
            (
                r#"{"lab_account": {"team_id": "no", "lab_account_id": 1}}"#,
                "lab_account.team_id: UUID parsing failed: invalid character: found `n` at 0",
            ),
            (
                r#"{"team": {"team_id": "00000000-0000-0000-0000-000000000000", "org_id": "o", "environment": "moon"}}"#,
                "team.environment: expected one of production, sandbox",
            ),
            (
                r#"{"user": {"ingestion_start": "2024-02-30"}}"#,
                "user.ingestion_start: there is no such date or time",
            ),
            (
                r#"{"user": {"created_on": "yesterday"}}"#,
                &format!("user.created_on: {date}"),
            ),
            (
                r#"{"user": {"fallback_time_zone": {"id": 7}}}"#,
                "user.fallback_time_zone.id: expected a string",
            ),
        ] {
            let error = read_line(line).expect_err(line);
            assert_eq!(error.to_string(), said, "{line}");
        }
        let kind = read_line(r#"{"planet": {}}"#).expect_err("is refused").to_string();
        assert!(
            kind.starts_with("unknown variant `planet`, expected one of `organisation`, `team`"),
            "{kind}"
        );
    }
}
