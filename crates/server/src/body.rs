//! Reads the body of a request, and notes where it is not what the document describes.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde_json::Value as JsonValue;
use serde_path_to_error::{Path, Segment};
use wearlab_models::form;

use crate::ApiError;
use crate::field::{At, Found, Value};
use crate::input::{Input, Received};
use crate::schema_rules::{Rule, Violated, step, violations};
use crate::stream::{ByteStream, Lines};

impl Input {
    /// Receives a body of a media type, whole. Without a byte, the request has none.
    ///
    /// # Errors
    ///
    /// 415 for another media type, 413 for a body that is too large, 400 for one that is incomplete.
    pub(crate) async fn receive(&mut self, wanted: &'static str) -> Result<(), ApiError> {
        let Received::Unread(request) = std::mem::replace(&mut self.body, Received::Whole(Bytes::new())) else {
            return Ok(());
        };
        let bytes = whole(*request).await?;
        if !bytes.is_empty() {
            check_media_type(self.headers(), wanted)?;
        }
        self.body = Received::Whole(bytes);
        Ok(())
    }

    /// Checks the media type of a body that is read in parts.
    ///
    /// # Errors
    ///
    /// 415 for another media type.
    pub(crate) fn receive_stream(&mut self, wanted: &'static str) -> Result<(), ApiError> {
        match &self.body {
            Received::Unread(request) if !request.body().is_end_stream() => check_media_type(self.headers(), wanted),
            _ => Ok(()),
        }
    }

    /// The body that was received, as a JSON value that meets a rule.
    pub(crate) fn json<T: DeserializeOwned>(&mut self, rule: &Rule) -> Value<'_, T> {
        self.decoded(|bytes| decode(bytes, rule))
    }

    /// The body that was received, as the fields of a form, which meet a rule.
    pub(crate) fn form<T: DeserializeOwned>(&mut self, rule: &Rule) -> Value<'_, T> {
        self.decoded(|bytes| decode_form(bytes, rule))
    }

    /// The body that was received, as text.
    pub(crate) fn text(&mut self) -> Value<'_, String> {
        self.decoded(|bytes| {
            String::from_utf8(bytes.to_vec()).map_err(|_| {
                let (code, message) = ("malformed", "must be UTF-8 text".to_owned());
                let pointer = String::new();
                Broken::Values(vec![Violated { pointer, code, message }])
            })
        })
    }

    /// The body as it arrives.
    pub(crate) fn bytes(&mut self) -> ByteStream {
        match std::mem::replace(&mut self.body, Received::Whole(Bytes::new())) {
            Received::Unread(request) => ByteStream::of_request(request.into_body()),
            _ => ByteStream::from(Bytes::new()),
        }
    }

    /// The lines of the body as they arrive. Each meets a rule.
    pub(crate) fn lines<T: DeserializeOwned + Send + 'static>(&mut self, rule: &'static Rule) -> Lines<T> {
        Lines::of_request(self.bytes(), rule)
    }

    /// The body that was received, or what is wrong with it.
    fn decoded<T>(&mut self, decode: impl FnOnce(&[u8]) -> Result<T, Broken>) -> Value<'_, T> {
        let bytes = match &self.body {
            Received::Whole(bytes) => bytes.clone(),
            _ => Bytes::new(),
        };
        let given = !bytes.is_empty() || self.headers().contains_key(CONTENT_TYPE);
        let mut at = At::body(&mut self.violations);
        if !given {
            return Value::new(at, Found::Nothing);
        }
        let found = match decode(&bytes) {
            Ok(value) => Found::Good(value),
            Err(Broken::Syntax(detail)) => {
                self.body = Received::Malformed(detail);
                Found::Bad
            }
            Err(Broken::Values(all)) => {
                at.note_parts(all);
                Found::Bad
            }
        };
        Value::new(at, found)
    }
}

/// The value of a line of a body.
pub(crate) fn decode_line<T: DeserializeOwned>(line: &[u8], index: usize, rule: &Rule) -> Result<T, ApiError> {
    decode(line, rule).map_err(|broken| match broken {
        Broken::Syntax(_) => ApiError::bad_request(format!("Line {} of the body is not valid JSON.", index + 1)),
        Broken::Values(all) => {
            let mut violations = Vec::new();
            let of_line = |violated: Violated| Violated {
                pointer: format!("/{index}{}", violated.pointer),
                ..violated
            };
            At::body(&mut violations).note_parts(all.into_iter().map(of_line).collect());
            ApiError::invalid(violations)
        }
    })
}

/// 415 for a body of another media type.
pub(crate) fn check_media_type(headers: &HeaderMap, wanted: &'static str) -> Result<(), ApiError> {
    let same = |found: &str| found.eq_ignore_ascii_case(wanted) || is_json(found) && is_json(wanted);
    if media_type(headers).is_some_and(same) {
        Ok(())
    } else {
        Err(ApiError::unsupported_media_type(wanted))
    }
}

/// Reads a body to its end, up to axum's `DefaultBodyLimit`.
pub(crate) async fn whole(request: Request) -> Result<Bytes, ApiError> {
    Bytes::from_request(request, &()).await.map_err(|error| {
        if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
            ApiError::of_status(StatusCode::PAYLOAD_TOO_LARGE, "Body is too large.")
        } else {
            ApiError::bad_request("The body is incomplete, or its chunks are invalid.")
        }
    })
}

/// The media type of the body, without its parameters.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    Some(headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim())
}

fn is_json(media_type: &str) -> bool {
    let media_type = media_type.to_ascii_lowercase();
    media_type == "application/json" || media_type.starts_with("application/") && media_type.ends_with("+json")
}

/// Why a body is not a value.
pub(crate) enum Broken {
    /// It is not JSON.
    Syntax(String),
    /// It is another value.
    Values(Vec<Violated>),
}

/// All violations of a value, if there are any.
pub(crate) fn checked(value: &JsonValue, rule: &Rule) -> Result<(), Broken> {
    let all = violations(value, rule);
    if all.is_empty() {
        Ok(())
    } else {
        Err(Broken::Values(all))
    }
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8], rule: &Rule) -> Result<T, Broken> {
    let value: JsonValue = serde_json::from_slice(bytes).map_err(|error| syntax(&error))?;
    checked(&value, rule)?;
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
    let value = rule.of_texts(texts);
    checked(&value, rule)?;
    typed(&value)
}

/// The typed value, which rules may not describe whole.
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

/// The error of a deserializer may repeat the value, so only what it says is expected is kept.
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
