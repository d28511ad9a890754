//! Reads bodies of several parts (`multipart/form-data`).

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::Value as JsonValue;
use wearlab_kit_types::multipart::{self, Field, Wrong, parse, received};

use crate::ApiError;
use crate::body::{check_media_type, whole};
use crate::decode::{Broken, checked, typed};
use crate::field::{At, Found, Value};
use crate::input::{Input, Received};
use crate::schema_rules::{Rule, Violated, step};

const MEDIA_TYPE: &str = "multipart/form-data";

impl Input {
    /// Receives a body of several parts, whole. Without a byte, the request has none.
    ///
    /// # Errors
    ///
    /// 415 for another media type, 413 for a body that is too large, 400 for one that is incomplete or no parts.
    pub async fn receive_parts(&mut self, fields: &[Field]) -> Result<(), ApiError> {
        let Received::Unread(request) = std::mem::replace(&mut self.body, Received::Whole(Bytes::new())) else {
            return Ok(());
        };
        let bytes = whole(*request).await?;
        if bytes.is_empty() && !self.headers().contains_key(CONTENT_TYPE) {
            return Ok(());
        }
        check_media_type(self.headers(), MEDIA_TYPE)?;
        let content_type = self.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let parts = parse(content_type.unwrap_or_default(), bytes)
            .map_err(|_| ApiError::bad_request("The body is not made of parts, each with a name."))?;
        self.body = Received::Parts(received(parts, fields));
        Ok(())
    }

    /// The parts that were received, as an object that meets a rule.
    pub fn parts<T: DeserializeOwned>(&mut self, rule: &Rule) -> Value<'_, T> {
        let body = std::mem::replace(&mut self.body, Received::Whole(Bytes::new()));
        let mut at = At::body(&mut self.violations);
        let Received::Parts(received) = body else {
            return Value::new(at, Found::Nothing);
        };
        let found = match decode(received, rule) {
            Ok(value) => Found::Good(value),
            Err(all) => {
                at.note_parts(all);
                Found::Bad
            }
        };
        Value::new(at, found)
    }
}

fn decode<T: DeserializeOwned>(received: multipart::Received, rule: &Rule) -> Result<T, Vec<Violated>> {
    let mut all: Vec<_> = received.wrong.into_iter().map(violated).collect();
    let texts = received.texts;
    let members = received.value.into_iter().map(|(name, value)| {
        let value = match rule.member(&name) {
            Some(rule) if texts.contains(&name.as_str()) => rule.of_texts(value),
            _ => value,
        };
        (name, value)
    });
    let value = JsonValue::Object(members.collect());
    if let Err(Broken::Values(others)) = checked(&value, rule) {
        // An unreadable part has no other violations.
        let known = |other: &Violated| all.iter().any(|known| known.pointer == other.pointer);
        let others: Vec<_> = others.into_iter().filter(|other| !known(other)).collect();
        all.extend(others);
    }
    if !all.is_empty() {
        return Err(all);
    }
    multipart::with_files(received.files, || typed(&value)).map_err(|broken| match broken {
        Broken::Values(all) => all,
        Broken::Syntax(_) => Vec::new(),
    })
}

fn violated(wrong: Wrong) -> Violated {
    let item = wrong.index.map(|index| format!("/{index}")).unwrap_or_default();
    Violated {
        pointer: step(&wrong.name) + &item,
        code: wrong.code,
        message: wrong.message,
    }
}
