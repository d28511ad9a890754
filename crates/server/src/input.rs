//! Reads a request's parameters by the document's rules, and notes every violation.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt::Display;
use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use percent_encoding::percent_decode_str;
use wearlab_models::Violation;

use crate::operations::Credential;
use crate::{ApiError, Operation, Parameter, credentials};

/// A request, as generated handlers read it.
pub(crate) struct Input {
    path: Vec<(String, String)>,
    query: String,
    headers: HeaderMap,
    violations: Vec<Violation>,
}

impl<S: Send + Sync> FromRequestParts<S> for Input {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        // A path whose bytes are no text has no parameters, and is answered as if they were missing.
        let path = RawPathParams::from_request_parts(parts, state).await;
        let path = path
            .iter()
            .flatten()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Ok(Self {
            path,
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: std::mem::take(&mut parts.headers),
            violations: Vec::new(),
        })
    }
}

impl Input {
    /// Fails unless there is what one of the operation's alternatives asks for.
    pub(crate) fn require(&self, operation: &Operation) -> Result<(), ApiError> {
        credentials::require(&self.headers, operation)
    }

    /// A credential that every alternative of the operation asks for.
    pub(crate) fn credential(&self, credential: Credential) -> Result<&str, ApiError> {
        let found = self.optional_credential(credential)?;
        found.ok_or_else(|| ApiError::unauthorized(format!("Send the header {}.", credential.headers()[0])))
    }

    /// A credential that some alternative of the operation asks for.
    pub(crate) fn optional_credential(&self, credential: Credential) -> Result<Option<&str>, ApiError> {
        credentials::find(&self.headers, credential)
    }

    /// A parameter in the path.
    pub(crate) fn path(&mut self, name: &'static str) -> Field<'_> {
        let value = self
            .path
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone());
        Field::new(&mut self.violations, "path", name, Ok(value))
    }

    /// A parameter in the query.
    pub(crate) fn query(&mut self, name: &'static str) -> Field<'_> {
        let value = single(pairs(&self.query, name));
        Field::new(&mut self.violations, "query", name, value)
    }

    /// A parameter in a header.
    #[allow(
        dead_code,
        clippy::allow_attributes,
        reason = "the document may have header parameters, and has none now"
    )]
    pub(crate) fn header(&mut self, name: &'static str) -> Field<'_> {
        let values = self.headers.get_all(name).iter();
        let value = single(values.map(|value| value.to_str().ok().map(str::to_owned)));
        Field::new(&mut self.violations, "header", name, value)
    }

    /// The error that names every violation.
    pub(crate) fn invalid(self) -> ApiError {
        ApiError::invalid(self.violations)
    }
}

/// The values of a name in a query string; nothing where the bytes are no text.
fn pairs<'q>(query: &'q str, name: &'q str) -> impl Iterator<Item = Option<String>> + 'q {
    query.split('&').filter_map(move |pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key)? == name).then(|| decode(value))
    })
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

/// The one value of a parameter, or the code and message of what is wrong with it.
fn single(mut values: impl Iterator<Item = Option<String>>) -> Result<Option<String>, (&'static str, String)> {
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(None), _) => Err(("malformed", "must be UTF-8 text".to_owned())),
        (Some(value), None) => Ok(value),
        (Some(_), Some(_)) => Err(("repeated", "must be given once".to_owned())),
    }
}

/// The text of a parameter, on its way to a value.
pub(crate) struct Field<'r> {
    at: At<'r>,
    text: Option<String>,
    bad: bool,
}

/// Where violations are noted.
struct At<'r> {
    violations: &'r mut Vec<Violation>,
    place: &'static str,
    name: &'static str,
}

impl At<'_> {
    fn note(&mut self, code: &str, message: impl Into<String>) {
        let location = format!("/{}/{}", self.place, self.name);
        self.violations.push(
            Violation::builder()
                .location(location)
                .code(code)
                .message(message)
                .build(),
        );
    }
}

impl<'r> Field<'r> {
    fn new(
        violations: &'r mut Vec<Violation>,
        place: &'static str,
        name: &'static str,
        text: Result<Option<String>, (&'static str, String)>,
    ) -> Self {
        let mut at = At {
            violations,
            place,
            name,
        };
        match text {
            Ok(text) => Self { at, text, bad: false },
            Err((code, message)) => {
                at.note(code, message);
                Self {
                    at,
                    text: None,
                    bad: true,
                }
            }
        }
    }

    /// Any text, of so many characters.
    pub(crate) fn text(self, min: Option<u64>, max: Option<u64>) -> Value<'r, String> {
        self.read(|text| {
            let length = text.chars().count() as u64;
            match (min, max) {
                (Some(min), _) if length < min => Err(("too_short", format!("must have at least {min} characters"))),
                (_, Some(max)) if length > max => Err(("too_long", format!("must have at most {max} characters"))),
                _ => Ok(text),
            }
        })
    }

    /// A whole number within bounds.
    pub(crate) fn integer<T: TryFrom<i64>>(self, min: Option<i64>, max: Option<i64>) -> Value<'r, T> {
        self.read(|text| {
            let range = match (min, max) {
                (Some(min), Some(max)) => format!("from {min} to {max}"),
                (Some(min), None) => format!("of at least {min}"),
                (None, Some(max)) => format!("of at most {max}"),
                (None, None) => "within 64 bits".to_owned(),
            };
            let digits = text.strip_prefix('-').unwrap_or(&text);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(("malformed", format!("must be a whole number {range}")));
            }
            let within = |n: &i64| min.is_none_or(|min| *n >= min) && max.is_none_or(|max| *n <= max);
            let number = text
                .parse()
                .ok()
                .filter(within)
                .and_then(|number| T::try_from(number).ok());
            number.ok_or_else(|| ("out_of_range", format!("must be a whole number {range}")))
        })
    }

    /// A value of an enum.
    pub(crate) fn choice<T>(self) -> Value<'r, T>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.read(|text| text.parse().map_err(|error| ("unknown_value", format!("{error}"))))
    }

    /// A value of any other type.
    pub(crate) fn parse<T: Parameter>(self) -> Value<'r, T> {
        self.read(|text| T::read(&text).map_err(|expected| ("malformed", format!("must be {expected}"))))
    }

    fn read<T>(mut self, read: impl FnOnce(String) -> Result<T, (&'static str, String)>) -> Value<'r, T> {
        let found = match self.text {
            None if self.bad => Found::Bad,
            None => Found::Nothing,
            Some(text) => match read(text) {
                Ok(value) => Found::Good(value),
                Err((code, message)) => {
                    self.at.note(code, message);
                    Found::Bad
                }
            },
        };
        Value { at: self.at, found }
    }
}

/// The value of a parameter. Each end gives nothing after a violation.
pub(crate) struct Value<'r, T> {
    at: At<'r>,
    found: Found<T>,
}

enum Found<T> {
    Nothing,
    Bad,
    Good(T),
}

impl<T> Value<'_, T> {
    /// The value, which must be there.
    pub(crate) fn required(mut self) -> Option<T> {
        match self.found {
            Found::Good(value) => Some(value),
            Found::Bad => None,
            Found::Nothing => {
                self.at.note("missing", "must be given");
                None
            }
        }
    }

    /// The value, if there is one.
    pub(crate) fn optional(self) -> Option<Option<T>> {
        match self.found {
            Found::Good(value) => Some(Some(value)),
            Found::Bad => None,
            Found::Nothing => Some(None),
        }
    }

    /// The value, or the document's default.
    pub(crate) fn or(self, default: T) -> Option<T> {
        self.optional().map(|value| value.unwrap_or(default))
    }
}
