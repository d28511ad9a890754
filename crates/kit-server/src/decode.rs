//! Decodes received bodies, and locates their violations of the document.

use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde_json::Value as JsonValue;
use serde_path_to_error::{Path, Segment};
use wearlab_kit_types::form;

use crate::schema_rules::{Rule, Violated, normalise, nul_violations, step, violations};

/// Reason for a failed decode.
pub(crate) enum Broken {
    /// Invalid JSON.
    Syntax(String),
    /// Violations of the type.
    Values(Vec<Violated>),
}

/// Fails with all violations of a value.
pub(crate) fn checked(value: &JsonValue, rule: &Rule) -> Result<(), Broken> {
    let all = violations(value, rule);
    if all.is_empty() {
        Ok(())
    } else {
        Err(Broken::Values(all))
    }
}

/// Fails with all texts of a value that have the character NUL.
fn without_nul(value: &JsonValue) -> Result<(), Broken> {
    let all = nul_violations(value);
    if all.is_empty() {
        Ok(())
    } else {
        Err(Broken::Values(all))
    }
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8], rule: &Rule) -> Result<T, Broken> {
    let mut value: JsonValue = serde_json::from_slice(bytes).map_err(|error| syntax(&error))?;
    without_nul(&value)?;
    let changed = normalise(&mut value, rule);
    checked(&value, rule)?;
    if changed {
        return typed(&value);
    }
    // From the text, which may have a member twice.
    typed(&mut serde_json::Deserializer::from_slice(bytes))
}

/// The value of the fields of a form.
pub(crate) fn decode_form<T: DeserializeOwned>(bytes: &[u8], rule: &Rule) -> Result<T, Broken> {
    let texts = form::parse(bytes).map_err(|malformed| {
        let (code, message) = ("malformed", "must have the form that the document describes".to_owned());
        let pointer = step(&malformed.field);
        Broken::Values(vec![Violated { pointer, code, message }])
    })?;
    let mut value = rule.of_texts(texts);
    without_nul(&value)?;
    normalise(&mut value, rule);
    checked(&value, rule)?;
    typed(&value)
}

/// Decodes a value as a type that rules may not describe whole.
pub(crate) fn typed<'de, T: DeserializeOwned>(
    json: impl Deserializer<'de, Error = serde_json::Error>,
) -> Result<T, Broken> {
    serde_path_to_error::deserialize(json)
        .map_err(|error| Broken::Values(vec![violated(error.path(), &error.inner().to_string())]))
}

fn syntax(error: &serde_json::Error) -> Broken {
    let (line, column) = (error.line(), error.column());
    Broken::Syntax(format!("The body is not valid JSON: line {line}, column {column}."))
}

/// The violation of a deserializer's error. The error may repeat the value, so only its expectation is kept.
fn violated(path: &Path, error: &str) -> Violated {
    let mut pointer = pointer(path);
    let error = error.rsplit_once(" at line ").map_or(error, |(error, _)| error);
    if let Some(name) = error
        .strip_prefix("missing field `")
        .and_then(|rest| rest.strip_suffix('`'))
    {
        pointer.push_str(&step(name));
        let (code, message) = ("missing", "must be given".to_owned());
        return Violated { pointer, code, message };
    }
    let message = match error.rsplit_once(", expected ") {
        Some((_, expected)) => format!("must be {expected}"),
        None => "must have the form that the document describes".to_owned(),
    };
    let code = "malformed";
    Violated { pointer, code, message }
}

fn pointer(path: &Path) -> String {
    let steps = path.iter().map(|segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => step(key),
        Segment::Enum { variant } => step(variant),
        Segment::Unknown => String::new(),
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema_rules::{Bounds, Member, Others, Presence, Size, TextRule};

    static RULE: Rule = Rule::Object(
        &[
            Member(
                "name",
                Presence::Required,
                Rule::Text(TextRule {
                    max: Some(3),
                    ..TextRule::ANY
                }),
            ),
            Member(
                "count",
                Presence::OrNull,
                Rule::Integer(Bounds {
                    min: Some(1),
                    ..Bounds::ANY
                }),
            ),
            Member("share", Presence::OrNull, Rule::Number(Bounds::ANY)),
            Member("agreed", Presence::OrNull, Rule::Boolean),
        ],
        Others::Allowed,
        Size::ANY,
    );

    fn pointers(outcome: Result<JsonValue, Broken>) -> Vec<String> {
        match outcome {
            Ok(_) => Vec::new(),
            Err(Broken::Syntax(detail)) => vec![detail],
            Err(Broken::Values(all)) => all.into_iter().map(|violated| violated.pointer).collect(),
        }
    }

    #[test]
    fn a_body_is_checked_before_it_is_decoded() {
        let decoded = |text: &str| pointers(decode(text.as_bytes(), &RULE));
        assert_eq!(decoded(r#"{"name":"abc","count":1,"other":[]}"#), [""; 0]);
        assert_eq!(
            decoded(r#"{"count":0,"share":"x","agreed":null}"#),
            ["/name", "/count", "/share"]
        );
        assert_eq!(decoded("7"), [""]);
        assert_eq!(decoded(r#"{"name""#).len(), 1);
    }

    #[test]
    fn the_character_nul_is_refused_anywhere() {
        let decoded = |text: &str| pointers(decode(text.as_bytes(), &Rule::Any));
        assert_eq!(
            decoded(r#"{"a":"x\u0000","b":["\u0000",{"c/d":"\u0000"}],"e":{"f\u0000":1},"g":"\\u0000"}"#),
            ["/a", "/b/0", "/b/1/c~1d", "/e"]
        );
        assert_eq!(decoded(r#""\u0000""#), [""]);
        let form = decode_form::<JsonValue>(b"name=%00&other=1", &RULE);
        assert_eq!(pointers(form), ["/name"]);
    }

    fn fields(form: &[u8], rule: &Rule) -> JsonValue {
        rule.of_texts(form::parse(form).expect("a form"))
    }

    #[test]
    fn the_fields_of_a_form_are_values_of_their_types() {
        let read = fields(b"name=7&count=2&share=0.5&agreed=true&other=1", &RULE);
        assert_eq!(
            read,
            json!({ "name": "7", "count": 2, "share": 0.5, "agreed": true, "other": "1" })
        );
        let wrong = fields(b"name=abcd&count=two&agreed=yes&share=inf", &RULE);
        let all = pointers(checked(&wrong, &RULE).map(|()| JsonValue::Null));
        assert_eq!(all, ["/name", "/count", "/share", "/agreed"]);
    }
}
