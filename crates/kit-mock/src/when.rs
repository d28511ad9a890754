//! Calls that a mock matches.

mod body;
mod multipart;
mod must;
mod parameter;
mod part_texts;

use std::marker::PhantomData;
use std::sync::Arc;

use http::Method;
use percent_encoding::percent_decode_str;
use wearlab_kit_types::segment;
use wiremock::{Match, Request, ResponseTemplate};

use self::must::Must;
pub use body::{in_body, in_form, in_text};
pub use multipart::in_parts;
pub use parameter::{credential, in_cookie, in_header, in_json, in_members, in_object, in_path, in_query, list};

/// An operation of the interface, as a type.
pub trait Operation: Send + Sync + 'static {
    /// HTTP method.
    const METHOD: Method;
    /// Path, with parameters in braces.
    const PATH: &'static str;
    /// The body of its success; `()` where it has none.
    type Body: 'static;

    /// A success with a body.
    fn answer(body: &Self::Body) -> ResponseTemplate;
}

/// Conditions on each part of a call.
#[derive(Default)]
pub struct Conditions(Vec<Must>);

impl Conditions {
    fn push(&mut self, must: Must) {
        self.0.push(must);
    }
}

/// The calls of an operation in generated code, which adds conditions.
pub trait Conditional {
    /// Conditions of the call.
    fn conditions(&mut self) -> &mut Conditions;
}

/// Calls of an operation. Without conditions, every call matches.
pub(crate) struct Calls<O> {
    conditions: Conditions,
    of: PhantomData<fn() -> O>,
}

impl<O: Operation> Calls<O> {
    pub(crate) fn new(conditions: Conditions) -> Self {
        Self {
            conditions,
            of: PhantomData,
        }
    }

    /// Returns the mismatches of a request, by the names of parameters; none if it is not a call of the operation.
    fn lacks(&self, request: &Request) -> Option<Vec<&'static str>> {
        let path = path_values(O::PATH, request.url.path())?;
        let lacks = self.conditions.0.iter().filter(|must| !must.is_met(&path, request));
        (request.method == O::METHOD).then(|| lacks.map(|must| must.name).collect())
    }

    /// Describes the mock, and the differences of a request of the operation.
    pub(crate) fn describe(&self, request: &Request) -> String {
        let must = self.conditions.0.iter().map(|must| match &must.wanted {
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

/// Shared calls of a mock, which can be described.
pub(crate) struct Shared<O>(pub(crate) Arc<Calls<O>>);

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
