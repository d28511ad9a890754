//! What a call must have.

#![allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "the document decides what is needed"
)]

mod answer;
mod body;
mod multipart;
mod parameter;

use std::marker::PhantomData;
use std::sync::Arc;

use http::header::COOKIE;
use http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use wearlab_models::{Problem, segment};
use wiremock::{Match, Request, ResponseTemplate};

use crate::Then;
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

/// Whether the texts that a call has fit.
type Fits = Box<dyn Fn(&[String]) -> bool + Send + Sync>;

/// Something that a call must have.
struct Must {
    place: Place,
    name: &'static str,
    /// The value, as text; of headers, which may be credentials, and of bodies, none.
    wanted: Option<String>,
    /// The texts of a call that leaves it out, by the document.
    default: Vec<String>,
    /// Whether the texts that a call has are those that are wanted.
    fits: Fits,
}

#[derive(Clone, Copy)]
enum Place {
    Path,
    Query,
    /// Members of the query whose names begin with that of the object: `name[member]`.
    Object,
    /// Parameters of the query that are the members of an object.
    Members(&'static [&'static str]),
    Header,
    Body,
    Parts,
    Cookie,
}

impl<O: Operation> When<O> {
    /// Responds with a success: the status of the document, and a body.
    pub fn then_ok(self, body: &O::Body) -> Then {
        self.then_respond(O::answer(body))
    }

    /// Responds with a problem. A call may try again a second after a 429 or 503.
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

    /// Responds with anything, also with what the interface does not have.
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

/// Whether one of several texts fits.
fn any(fits: impl Fn(&str) -> bool + Send + Sync + 'static) -> Fits {
    Box::new(move |texts| texts.iter().any(|text| fits(text)))
}

impl Must {
    /// Whether a request whose path has these values has it.
    fn is_met(&self, path: &[(&str, String)], request: &Request) -> bool {
        let mut values: Vec<String> = Vec::new();
        match self.place {
            Place::Path => values.extend(
                path.iter()
                    .filter(|(name, _)| *name == self.name)
                    .map(|(_, value)| value.clone()),
            ),
            Place::Query => {
                let pairs = request.url.query_pairs().filter(|(name, _)| name == self.name);
                values.extend(pairs.map(|(_, value)| value.into_owned()));
            }
            Place::Object => values.extend(form(request, |key| {
                key.strip_prefix(self.name)?.strip_prefix('[')?.strip_suffix(']')
            })),
            Place::Members(names) => values.extend(form(request, |key| names.contains(&key).then_some(key))),
            Place::Header => {
                let found = request.headers.get_all(self.name).iter();
                // What is no text is there all the same, and fits nothing.
                values.extend(found.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()));
            }
            Place::Body => values.push(String::from_utf8_lossy(&request.body).into_owned()),
            Place::Parts => values.extend(multipart::of_request(request)),
            Place::Cookie => {
                let lists = request.headers.get_all(COOKIE).iter();
                let pairs = lists.flat_map(|list| list.to_str().unwrap_or_default().split(';'));
                let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
                let found = pairs.filter(|(name, _)| *name == self.name);
                values.extend(found.map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned()));
            }
        }
        (self.fits)(if values.is_empty() { &self.default } else { &values })
    }
}

impl<O: Operation> When<O> {
    /// What a request lacks, by the names of parameters; nothing where it is no call of the operation.
    fn lacks(&self, request: &Request) -> Option<Vec<&'static str>> {
        let path = path_values(O::PATH, request.url.path())?;
        let lacks = self.must.iter().filter(|must| !must.is_met(&path, request));
        (request.method == O::METHOD).then(|| lacks.map(|must| must.name).collect())
    }

    /// What is mounted, in words, and how a request differs from it where that is a call of the operation.
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

/// The members of an object in the query as a form, if there are any.
fn form(request: &Request, member: impl Fn(&str) -> Option<&str>) -> Option<String> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (key, value) in request.url.query_pairs() {
        if let Some(member) = member(&key) {
            form.append_pair(member, &value);
        }
    }
    Some(form.finish()).filter(|form| !form.is_empty())
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
