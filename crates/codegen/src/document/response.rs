//! Responses: successes, and errors, which are problems or have bodies of their own.

use serde_json::Value;

use super::content::{Sender, read as read_content};
use super::json::{resolve, text};
use super::media_type::{EVENTS, essence};
use super::response_headers::{self, Header, HeaderType};
use super::{Content, ContentKind, ErrorStatus, Method, Schema, Type, body};
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};

/// The schema of problem documents.
const PROBLEM: &str = "Problem";

/// The statuses of a success without a body.
const EMPTY: [u16; 2] = [204, 205];
/// The statuses of redirects, which a client does not follow: they are responses as others.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];
/// Any success. The server sends it as 200.
const ANY_SUCCESS: &str = "2XX";

/// A successful response.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The body, if it has one.
    pub(crate) body: Option<Content>,
    /// The type of its headers, if it declares others than those of the middleware.
    pub(crate) headers: Option<HeaderType>,
    description: String,
}

/// An error whose body is a value of its own rather than a problem document.
pub(crate) struct ErrorResponse {
    pub(crate) status: ErrorStatus,
    pub(crate) ty: Type,
    pub(crate) media_type: String,
    description: String,
}

impl ErrorResponse {
    /// Description, which may be empty.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
    }
}

/// The responses of an operation.
pub(super) struct Responses {
    /// The first one is that of the lowest status.
    pub(super) successes: Vec<Response>,
    /// Ordered by status, then by class, then the rest.
    pub(super) errors: Vec<ErrorResponse>,
    /// The headers of successes, by their status.
    pub(super) headers: Vec<(u16, Vec<Header>)>,
    /// The names of the headers of errors, which have no types.
    pub(super) error_headers: Vec<String>,
    /// The events that a success may have in place of its JSON value.
    pub(super) events: Option<Content>,
}

/// The responses of an operation.
pub(super) fn read_all(
    root: &Value,
    operation: &Value,
    method: Method,
    at: &str,
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Responses {
    let at = format!("{at}/responses");
    let (mut successes, mut errors, mut rejected) = (Vec::new(), Vec::new(), false);
    let (mut typed_headers, mut error_headers, mut events) = (Vec::new(), Vec::new(), None);
    for (status, value) in operation["responses"].as_object().into_iter().flatten() {
        let here = join(&at, status);
        let (value, pointer) = resolve(root, value, "responses", &here);
        let description = text(value, "/description");
        let success = success_status(status);
        if success.is_none() {
            for name in response_headers::check(root, value, status, &pointer, report) {
                if !error_headers
                    .iter()
                    .any(|known: &String| known.eq_ignore_ascii_case(&name))
                {
                    error_headers.push(name);
                }
            }
        }
        if let Some(number) = success {
            // A response to HEAD describes the content that GET would send.
            let body = match method {
                Method::Head => None,
                _ => content(value, number, &pointer, report),
            };
            if body.as_ref().is_some_and(|body| !body.is_stream()) {
                events = events.or_else(|| self::events(value, &pointer, report));
            }
            let headers = response_headers::read(root, value, method, &pointer, schemas, report);
            typed_headers.push((number, headers));
            successes.push(Response {
                status: number,
                body,
                headers: None,
                description,
            });
        } else if status == "304" && matches!(method, Method::Get | Method::Head) {
            empty(value, 304, &pointer, report);
        } else if let Some(status) = ErrorStatus::read(status) {
            if method != Method::Head {
                errors.extend(error(status, value, &pointer, description, report));
            }
        } else {
            rejected = true;
            status_of_no_use(status, &here, report);
        }
    }
    if successes.is_empty() && !rejected {
        report.error(
            Code::NoSuccess,
            &at,
            "no successful response",
            "add `200` with its body as `application/json`, or `204`, which has none",
        );
    }
    if successes.is_empty() {
        successes.push(Response::broken());
    }
    successes.sort_by_key(|response| response.status);
    streams(&successes, &at, report);
    if successes.len() > 1 && operation["responses"].get(ANY_SUCCESS).is_some() {
        report.error(
            Code::SuccessStatus,
            &join(&at, ANY_SUCCESS),
            "the status `2XX` stands beside other successful responses",
            "write the status itself, such as `202`, or keep only `2XX`, which is sent as 200",
        );
    }
    errors.sort_by_key(|error| match error.status {
        ErrorStatus::Exact(number) => (0, number),
        ErrorStatus::Class(digit) => (1, digit),
        ErrorStatus::Default => (2, 0),
    });
    Responses {
        successes,
        errors,
        headers: typed_headers,
        error_headers,
        events,
    }
}

/// Checks that each of several successes has a JSON value, or no body: a caller could not distinguish a stream.
fn streams(successes: &[Response], at: &str, report: &mut Report<'_>) {
    let json = |content: &Content| matches!(content.kind, ContentKind::Json(_));
    let other = successes
        .iter()
        .find(|response| response.body.as_ref().is_some_and(|content| !json(content)));
    let redirect = successes.iter().find(|response| response.is_redirect());
    if let Some(other) = other
        .filter(|_| successes.len() > 1)
        .map(|other| redirect.unwrap_or(other))
    {
        report.error(
            Code::SuccessStatus,
            &join(at, &other.status.to_string()),
            "one of several successful responses must be JSON or have no body",
            "write `application/json`, or keep only this success",
        );
    }
}

/// An error with a body of its own. One without a body, or with another than JSON, is a status alone.
fn error(
    status: ErrorStatus,
    response: &Value,
    at: &str,
    description: String,
    report: &mut Report<'_>,
) -> Option<ErrorResponse> {
    response.get("content")?;
    let content = body::content(response, at, Sender::Server, report);
    match content.kind {
        ContentKind::Json(ty) if ty != Type::Ref(PROBLEM.to_owned()) => Some(ErrorResponse {
            status,
            ty,
            media_type: content.media_type,
            description,
        }),
        _ => None,
    }
}

impl Response {
    /// The name of the type of its headers, if it declares any.
    pub(crate) fn header_type(&self) -> Option<&str> {
        match &self.headers.as_ref()?.ty {
            Type::Ref(name) => Some(name),
            _ => None,
        }
    }

    /// Description, which may be empty.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
    }

    /// Returns whether it is a redirect.
    pub(crate) fn is_redirect(&self) -> bool {
        REDIRECTS.contains(&self.status)
    }

    /// The type of its body, if it is JSON.
    pub(super) fn json(&self) -> Option<&Type> {
        self.body
            .as_ref()
            .filter(|body| !body.is_stream())
            .and_then(Content::ty)
    }

    /// Replaces a rejected one.
    fn broken() -> Self {
        Self {
            status: 200,
            body: Some(Content::json(Type::broken())),
            headers: None,
            description: String::new(),
        }
    }
}

/// The body of a success, which may have none.
fn content(response: &Value, status: u16, at: &str, report: &mut Report<'_>) -> Option<Content> {
    if EMPTY.contains(&status) || REDIRECTS.contains(&status) {
        empty(response, status, at, report);
        return None;
    }
    response.get("content")?;
    Some(body::content(response, at, Sender::Server, report))
}

/// The events that stand beside the JSON value of a success.
fn events(response: &Value, at: &str, report: &mut Report<'_>) -> Option<Content> {
    let all = response["content"].as_object().filter(|all| all.len() > 1)?;
    let (media_type, media) = all.iter().find(|(name, _)| essence(name) == EVENTS)?;
    let at = join(&join(at, "content"), media_type);
    Some(read_content(media_type, media, &at, Sender::Server, report))
}

/// The number of a status that is a success or a redirect.
fn success_status(status: &str) -> Option<u16> {
    if status == ANY_SUCCESS {
        return Some(200);
    }
    let success = |number: &u16| (200..300).contains(number) || REDIRECTS.contains(number);
    let number = status.parse().ok().filter(success)?;
    (status.len() == 3).then_some(number)
}

/// Checks that a response of a status without content has none.
fn empty(response: &Value, status: u16, at: &str, report: &mut Report<'_>) {
    if response.get("content").is_some() {
        let help = match status {
            304 => "remove `content`: the client already has it",
            _ => "remove `content`, or write `200`",
        };
        let message = match REDIRECTS.contains(&status) {
            true => format!("the body of a {status} is unsupported"),
            false => format!("a {status} has no body"),
        };
        report.error(Code::StatusWithoutBody, &join(at, "content"), message, help);
    }
}

fn status_of_no_use(status: &str, at: &str, report: &mut Report<'_>) {
    let (code, help) = match status.as_bytes() {
        [b'2', ..] => (
            Code::SuccessStatus,
            "write the status itself, such as `200`, `201` or `204`, or `2XX`",
        ),
        [b'3', ..] => (
            Code::ResponseStatus,
            "remove it: of these, `301`, `302`, `303`, `307`, `308`, and the `304` of `get` and `head` are supported",
        ),
        b"4xx" | b"5xx" => (Code::ResponseStatus, "write it in upper case, `4XX` or `5XX`"),
        _ => (
            Code::ResponseStatus,
            "write `200`, or an error such as `404`, `4XX` or `5XX`",
        ),
    };
    report.error(code, at, format!("the status `{status}` is unsupported"), help);
}
