//! What a call must have.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use std::marker::PhantomData;
use std::str::FromStr;

use http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use wearlab_models::Problem;
use wiremock::{Match, Request, ResponseTemplate};

use crate::Then;

/// An operation of the interface, as a type.
pub trait Operation: Send + Sync + 'static {
    /// Its path, with parameters in braces.
    const PATH: &'static str;
    /// What it answers with.
    type Body: serde::Serialize;
}

/// Calls of an operation. Its methods say what a call must have to be answered; without any, every call is.
#[must_use = "a mock answers nothing until it is mounted"]
pub struct When<O> {
    must: Vec<Must>,
    of: PhantomData<fn() -> O>,
}

/// Something that a call must have.
struct Must {
    place: Place,
    name: &'static str,
    fits: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

#[derive(Clone, Copy)]
enum Place {
    Path,
    Query,
    Header,
}

impl<O: Operation> When<O> {
    /// Answers 200 with a body.
    pub fn then_ok(self, body: &O::Body) -> Then {
        self.then_respond(ResponseTemplate::new(200).set_body_json(body))
    }

    /// Answers with a problem. A call may try again a second after a 429 or 503.
    pub fn then_problem(self, status: u16, detail: impl Into<String>) -> Then {
        let title = StatusCode::from_u16(status)
            .ok()
            .and_then(|status| status.canonical_reason());
        let problem = Problem::builder()
            .title(title.unwrap_or("Error"))
            .status(i32::from(status))
            .detail(detail.into())
            .build();
        let answer = ResponseTemplate::new(status);
        let answer = match status {
            429 | 503 => answer.insert_header("retry-after", "1"),
            _ => answer,
        };
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        self.then_respond(answer.set_body_raw(body, "application/problem+json"))
    }

    /// Answers with anything, such as what is no answer of the interface.
    pub fn then_respond(self, answer: ResponseTemplate) -> Then {
        Then::new(self, answer)
    }
}

/// Every call of an operation. What is generated begins with it; a parameter may be called `new`.
pub(crate) fn any_call<O>() -> When<O> {
    When {
        must: Vec::new(),
        of: PhantomData,
    }
}

/// A parameter in the path.
pub(crate) fn in_path<O, T: FromStr + PartialEq + Send + Sync + 'static>(
    when: When<O>,
    name: &'static str,
    value: T,
) -> When<O> {
    must(when, Place::Path, name, value)
}

/// A parameter in the query.
pub(crate) fn in_query<O, T: FromStr + PartialEq + Send + Sync + 'static>(
    when: When<O>,
    name: &'static str,
    value: T,
) -> When<O> {
    must(when, Place::Query, name, value)
}

/// A parameter or a credential in a header.
pub(crate) fn in_header<O, T: FromStr + PartialEq + Send + Sync + 'static>(
    when: When<O>,
    name: &'static str,
    value: T,
) -> When<O> {
    must(when, Place::Header, name, value)
}

/// Values are compared, not their texts: a time may be written in many ways.
fn must<O, T: FromStr + PartialEq + Send + Sync + 'static>(
    mut when: When<O>,
    place: Place,
    name: &'static str,
    value: T,
) -> When<O> {
    let fits = Box::new(move |text: &str| text.parse::<T>().is_ok_and(|found| found == value));
    when.must.push(Must { place, name, fits });
    when
}

impl<O: Operation> Match for When<O> {
    fn matches(&self, request: &Request) -> bool {
        let Some(path) = path_values(O::PATH, request.url.path()) else {
            return false;
        };
        let fits = |must: &Must| match must.place {
            Place::Path => path
                .iter()
                .any(|(name, value)| *name == must.name && (must.fits)(value)),
            Place::Query => {
                let mut pairs = request.url.query_pairs();
                pairs.any(|(name, value)| name == must.name && (must.fits)(&value))
            }
            Place::Header => {
                let mut values = request.headers.get_all(must.name).iter();
                values.any(|value| value.to_str().is_ok_and(|value| (must.fits)(value)))
            }
        };
        request.method == Method::GET && self.must.iter().all(fits)
    }
}

/// The values of a path's parameters, if it is the operation's. A slash at its end may be missing.
fn path_values(template: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (template, path) = (template.trim_end_matches('/'), path.trim_end_matches('/'));
    if template.split('/').count() != path.split('/').count() {
        return None;
    }
    let mut values = Vec::new();
    for (wanted, segment) in template.split('/').zip(path.split('/')) {
        let segment = percent_decode_str(segment).decode_utf8().ok()?;
        match wanted.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => values.push((name, segment.into_owned())),
            None if wanted == segment => {}
            None => return None,
        }
    }
    Some(values)
}
