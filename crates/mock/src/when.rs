//! What a call must have.

#![allow(dead_code, clippy::allow_attributes, reason = "the document decides what is needed")]

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::COOKIE;
use http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wearlab_models::Problem;
use wearlab_models::carrier::Carrier;
use wiremock::{Match, Request, ResponseTemplate};

use crate::Then;

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
    /// What a call has that leaves it out, by the document.
    default: Option<&'static str>,
    /// Whether the texts that a call has are those that are wanted.
    fits: Fits,
}

#[derive(Clone, Copy)]
enum Place {
    Path,
    Query,
    Header,
    Body,
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

/// What values of parameters are.
pub(crate) trait Value: FromStr + Display + PartialEq + Send + Sync + 'static {}

impl<T: FromStr + Display + PartialEq + Send + Sync + 'static> Value for T {}

/// Whether one of several texts fits.
fn any(fits: impl Fn(&str) -> bool + Send + Sync + 'static) -> Fits {
    Box::new(move |texts| texts.iter().any(|text| fits(text)))
}

/// A parameter in a cookie, with what it is where it is left out.
pub(crate) fn in_cookie<O, T: Value>(
    when: When<O>,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    must(when, Place::Cookie, name, default, value)
}

/// A list, with the character between its items, or repeated parameters. One that is left out is empty.
pub(crate) fn list<O, T: Value>(
    mut when: When<O>,
    place: &'static str,
    name: &'static str,
    separator: Option<char>,
    wanted: Vec<T>,
) -> When<O> {
    let place = match place {
        "path" => Place::Path,
        "query" => Place::Query,
        "header" => Place::Header,
        _ => Place::Cookie,
    };
    let shown: Vec<_> = wanted.iter().map(ToString::to_string).collect();
    let fits = Box::new(move |texts: &[String]| {
        let items: Vec<&str> = match separator {
            Some(separator) => texts.iter().flat_map(|text| text.split(separator)).collect(),
            None => texts.iter().map(String::as_str).collect(),
        };
        let equal = |(item, wanted): (&&str, &T)| item.parse::<T>().is_ok_and(|found| found == *wanted);
        items.len() == wanted.len() && items.iter().zip(&wanted).all(equal)
    });
    when.must.push(Must {
        place,
        name,
        wanted: matches!(place, Place::Path | Place::Query).then(|| shown.join(", ")),
        default: None,
        fits,
    });
    when
}

/// A parameter in the path.
pub(crate) fn in_path<O, T: Value>(when: When<O>, name: &'static str, value: T) -> When<O> {
    must(when, Place::Path, name, None, value)
}

/// A parameter in the query, with what it is where it is left out.
pub(crate) fn in_query<O, T: Value>(
    when: When<O>,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    must(when, Place::Query, name, default, value)
}

/// A parameter or a credential in a header, with what it is where it is left out.
pub(crate) fn in_header<O, T: Value>(
    when: When<O>,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    must(when, Place::Header, name, default, value)
}

/// A response without a body.
pub(crate) fn empty(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status)
}

/// A response with a JSON value.
pub(crate) fn json<T: Serialize>(status: u16, media_type: &str, body: &T) -> ResponseTemplate {
    let text = serde_json::to_vec(body).unwrap_or_default();
    bytes(status, media_type, &text)
}

/// A response with JSON values, one a line.
pub(crate) fn lines<T: Serialize>(status: u16, media_type: &str, values: &[T]) -> ResponseTemplate {
    let lines = values.iter().filter_map(|value| serde_json::to_string(value).ok());
    let text: String = lines.map(|line| line + "\n").collect();
    bytes(status, media_type, text.as_bytes())
}

/// A response with bytes.
pub(crate) fn bytes(status: u16, media_type: &str, body: &[u8]) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body.to_vec(), media_type)
}

/// A body that is a form. Values are compared, not their texts.
pub(crate) fn in_form<O, T>(when: When<O>, value: T) -> When<O>
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    of_body(when, move |text| {
        serde_urlencoded::from_str::<T>(text).is_ok_and(|found| found == value)
    })
}

/// A body that is text.
pub(crate) fn in_text<O>(when: When<O>, value: String) -> When<O> {
    of_body(when, move |text| text == value)
}

fn of_body<O>(mut when: When<O>, fits: impl Fn(&str) -> bool + Send + Sync + 'static) -> When<O> {
    when.must.push(Must {
        place: Place::Body,
        name: "body",
        wanted: None,
        default: None,
        fits: any(fits),
    });
    when
}

/// The body of the request. Values are compared, not their texts.
pub(crate) fn in_body<O, T>(when: When<O>, value: T) -> When<O>
where
    T: DeserializeOwned + PartialEq + Send + Sync + 'static,
{
    of_body(when, move |text| {
        serde_json::from_str::<T>(text).is_ok_and(|found| found == value)
    })
}

/// A credential, which is not shown.
pub(crate) fn credential<O>(mut when: When<O>, carrier: Carrier, value: impl Into<String>) -> When<O> {
    let value = value.into();
    let (place, name, scheme, wanted) = match carrier {
        Carrier::Header(names) => (Place::Header, names[0], "", value),
        Carrier::Query(name) => (Place::Query, name, "", value),
        Carrier::Cookie(name) => (Place::Cookie, name, "", value),
        Carrier::Basic => (Place::Header, "authorization", "basic ", BASE64_STANDARD.encode(value)),
        _ => (Place::Header, "authorization", "bearer ", value),
    };
    let fits = any(move |text: &str| match text.split_at_checked(scheme.len()) {
        Some((found, rest)) => found.eq_ignore_ascii_case(scheme) && rest == wanted,
        None => false,
    });
    when.must.push(Must {
        place,
        name,
        wanted: None,
        default: None,
        fits,
    });
    when
}

/// Values are compared, not their texts: a time may be written in many ways.
fn must<O, T: Value>(
    mut when: When<O>,
    place: Place,
    name: &'static str,
    default: Option<&'static str>,
    value: T,
) -> When<O> {
    let wanted = matches!(place, Place::Path | Place::Query).then(|| value.to_string());
    let fits = any(move |text: &str| text.parse::<T>().is_ok_and(|found| found == value));
    when.must.push(Must {
        place,
        name,
        wanted,
        default,
        fits,
    });
    when
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
            Place::Header => {
                let found = request.headers.get_all(self.name).iter();
                // What is no text is there all the same, and fits nothing.
                values.extend(found.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()));
            }
            Place::Body => values.push(String::from_utf8_lossy(&request.body).into_owned()),
            Place::Cookie => {
                let lists = request.headers.get_all(COOKIE).iter();
                let pairs = lists.flat_map(|list| list.to_str().unwrap_or_default().split(';'));
                let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
                let found = pairs.filter(|(name, _)| *name == self.name);
                values.extend(found.map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned()));
            }
        }
        match (values.is_empty(), self.default) {
            (true, Some(default)) => (self.fits)(&[default.to_owned()]),
            _ => (self.fits)(&values),
        }
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
