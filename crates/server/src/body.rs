//! Reads the body of a request, and notes where it is not what the document describes.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

use crate::ApiError;
use crate::field::{At, Found, Value};
use crate::input::{Input, Received};

impl Input {
    /// Receives a JSON body, whole. Without a byte, the request has none.
    ///
    /// # Errors
    ///
    /// 415 for another media type, 413 for a body that is too large, 400 for one that is incomplete.
    pub(crate) async fn receive_json(&mut self) -> Result<(), ApiError> {
        let Received::Unread(request) = std::mem::replace(&mut self.body, Received::Whole(Bytes::new())) else {
            return Ok(());
        };
        let bytes = whole(request).await?;
        if !bytes.is_empty() && !media_type(self.headers()).is_some_and(is_json) {
            return Err(ApiError::unsupported_media_type("application/json"));
        }
        self.body = Received::Whole(bytes);
        Ok(())
    }

    /// The body that was received, as a value.
    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Value<'_, T> {
        let bytes = match &self.body {
            Received::Whole(bytes) => bytes.clone(),
            _ => Bytes::new(),
        };
        let mut at = At::body(&mut self.violations);
        if bytes.is_empty() {
            return Value::new(at, Found::Nothing);
        }
        let found = match decode(&bytes) {
            Ok(value) => Found::Good(value),
            Err(Broken::Syntax(detail)) => {
                self.body = Received::Malformed(detail);
                Found::Bad
            }
            Err(Broken::Value(Violated { pointer, code, message })) => {
                at.note_part(&pointer, code, message);
                Found::Bad
            }
        };
        Value::new(at, found)
    }
}

/// Reads a body to its end, up to axum's `DefaultBodyLimit`.
async fn whole(request: Request) -> Result<Bytes, ApiError> {
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
enum Broken {
    /// It is not JSON.
    Syntax(String),
    /// It is another value.
    Value(Violated),
}

/// A rule that is not met, and the pointer of the part of the body that does not meet it.
struct Violated {
    pointer: String,
    code: &'static str,
    message: String,
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Broken> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let error = match serde_path_to_error::deserialize(&mut json) {
        Ok(value) => match json.end() {
            Ok(()) => return Ok(value),
            Err(error) => return Err(syntax(&error)),
        },
        Err(error) => error,
    };
    if error.inner().classify() != Category::Data {
        return Err(syntax(error.inner()));
    }
    // Behind a wrong value, the rest was not read.
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(bytes) {
        return Err(syntax(&error));
    }
    Err(Broken::Value(violated(error.path(), &error.inner().to_string())))
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

fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}
