//! Calls that a mock matches.

#![allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

mod answer;
mod body;
mod multipart;
mod must;
mod parameter;
mod part_texts;

use std::marker::PhantomData;
use std::sync::Arc;

use http::Method;
use percent_encoding::percent_decode_str;
use wearlab_models::segment;
use wiremock::{Match, Request, ResponseTemplate};

use self::must::Must;
pub(crate) use answer::{bytes, empty, json, lines};
pub(crate) use body::{in_body, in_form, in_text};
pub(crate) use multipart::in_parts;
pub(crate) use parameter::{credential, in_cookie, in_header, in_json, in_members, in_object, in_path, in_query, list};

/// An operation of the interface, as a type.
pub trait Operation: Send + Sync + 'static {
    /// Its method.
    const METHOD: Method;
    /// Its path, with parameters in braces.
    const PATH: &'static str;
    /// The body of its success; `()` where it has none.
    type Body: 'static;

    /// A success with a body.
    fn answer(body: &Self::Body) -> ResponseTemplate;
}

/// Calls of an operation. Its methods say what a call must have to be answered; without any, every call is.
#[must_use = "a mock does nothing until it is mounted"]
pub struct When<O> {
    must: Vec<Must>,
    of: PhantomData<fn() -> O>,
}

/// Every call of an operation. What is generated begins with it; a parameter may be called `new`.
pub(crate) fn any_call<O>() -> When<O> {
    When {
        must: Vec::new(),
        of: PhantomData,
    }
}

impl<O: Operation> When<O> {
    /// Returns the mismatches of a request, by the names of parameters; none if it is not a call of the operation.
    fn lacks(&self, request: &Request) -> Option<Vec<&'static str>> {
        let path = path_values(O::PATH, request.url.path())?;
        let lacks = self.must.iter().filter(|must| !must.is_met(&path, request));
        (request.method == O::METHOD).then(|| lacks.map(|must| must.name).collect())
    }

    /// Describes the mock, and how a request differs from it where that is a call of the operation.
    pub(crate) fn describe(&self, request: &Request) -> String {
        let must = self.must.iter().map(|must| match &must.wanted {
            Some(wanted) => format!("{} = {wanted}", must.name),
            None => must.name.to_owned(),
        });
        let must: Vec<_> = must.collect();
        let mut text = format!("{} {}", O::METHOD, O::PATH);
        if !must.is_empty() {
            text += &format!(" where {}", must.join(", "));
        }
        match self.lacks(request) {
            Some(lacks) if lacks.is_empty() => text += " (it has answered as often as it was to)",
            Some(lacks) => text += &format!(" (another {})", lacks.join(", ")),
            None => {}
        }
        text
    }
}

/// Calls that a mock matches, and that can be described.
pub(crate) struct Shared<O>(pub(crate) Arc<When<O>>);

impl<O: Operation> Match for Shared<O> {
    fn matches(&self, request: &Request) -> bool {
        self.0.lacks(request).is_some_and(|lacks| lacks.is_empty())
    }
}

/// The values of a path's parameters, if it is the operation's. A slash at its end may be missing.
fn path_values(template: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (template, path) = (template.trim_end_matches('/'), path.trim_end_matches('/'));
    if template.split('/').count() != path.split('/').count() {
        return None;
    }
    let mut values = Vec::new();
    for (wanted, found) in template.split('/').zip(path.split('/')) {
        let found = percent_decode_str(found).decode_utf8().ok()?;
        values.extend(segment::split(wanted, &found)?);
    }
    Some(values)
}
