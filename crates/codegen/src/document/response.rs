//! Responses: successes, and errors, which are problems or have bodies of their own.

use serde_json::Value;

use super::content::Sender;
use super::json::{resolve, text};
use super::{Content, ContentKind, ErrorStatus, Method, Type, body};
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};

/// The headers that a success or a 304 may declare: those that the server's middleware sends.
const CONTENT_HEADERS: [&str; 3] = ["ETag", "Cache-Control", "x-request-id"];
/// The headers that an error may declare.
const PROBLEM_HEADERS: [&str; 4] = ["Allow", "Retry-After", "WWW-Authenticate", "x-request-id"];

/// The schema of problem documents.
const PROBLEM: &str = "Problem";

/// The statuses of a success without a body.
const EMPTY: [&str; 2] = ["204", "205"];

/// A successful response.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Its body, if it has one.
    pub(crate) body: Option<Content>,
    description: String,
}

/// An error whose body is a value of its own, and no problem document.
pub(crate) struct ErrorResponse {
    pub(crate) status: ErrorStatus,
    pub(crate) ty: Type,
    pub(crate) media_type: String,
    description: String,
}

impl ErrorResponse {
    /// Its description, which may be empty.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
    }
}

/// The responses of an operation.
pub(super) struct Responses {
    /// The first one is that of the lowest status.
    pub(super) successes: Vec<Response>,
    /// By status, then by class, then the rest.
    pub(super) errors: Vec<ErrorResponse>,
}

/// The responses of an operation.
pub(super) fn read_all(
    root: &Value,
    operation: &Value,
    method: Method,
    at: &str,
    report: &mut Report<'_>,
) -> Responses {
    let at = format!("{at}/responses");
    let (mut successes, mut errors, mut rejected) = (Vec::new(), Vec::new(), false);
    for (status, value) in operation["responses"].as_object().into_iter().flatten() {
        let here = join(&at, status);
        let (value, pointer) = resolve(root, value, "responses", &here);
        headers(value, status, &pointer, report);
        let description = text(value, "/description");
        if let Some(number) = success_status(status) {
            let body = content(value, status, &pointer, report);
            successes.push(Response {
                status: number,
                body,
                description,
            });
        } else if status == "304" && method == Method::Get {
            empty(value, status, &pointer, report);
        } else if let Some(status) = ErrorStatus::read(status) {
            errors.extend(error(status, value, &pointer, description, report));
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
    errors.sort_by_key(|error| match error.status {
        ErrorStatus::Exact(number) => (0, number),
        ErrorStatus::Class(digit) => (1, digit),
        ErrorStatus::Default => (2, 0),
    });
    Responses { successes, errors }
}

/// One of several successes has a JSON value, or no body: a caller of a stream would not know whether there is one.
fn streams(successes: &[Response], at: &str, report: &mut Report<'_>) {
    let json = |content: &Content| matches!(content.kind, ContentKind::Json(_));
    let other = successes
        .iter()
        .find(|response| response.body.as_ref().is_some_and(|content| !json(content)));
    if let Some(other) = other.filter(|_| successes.len() > 1) {
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
    /// Its description, which may be empty.
    pub(crate) fn paragraph(&self) -> String {
        rustdoc(&self.description)
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
            description: String::new(),
        }
    }
}

/// The body of a success, which may have none.
fn content(response: &Value, status: &str, at: &str, report: &mut Report<'_>) -> Option<Content> {
    if EMPTY.contains(&status) {
        empty(response, status, at, report);
        return None;
    }
    response.get("content")?;
    Some(body::content(response, at, Sender::Server, report))
}

/// The number of a status that is a success.
fn success_status(status: &str) -> Option<u16> {
    let number = status.parse().ok().filter(|number| (200..300).contains(number))?;
    (status.len() == 3).then_some(number)
}

fn headers(response: &Value, status: &str, at: &str, report: &mut Report<'_>) {
    let known: &[&str] = if status == "304" || success_status(status).is_some() {
        &CONTENT_HEADERS
    } else {
        &PROBLEM_HEADERS
    };
    for header in response["headers"].as_object().into_iter().flat_map(|all| all.keys()) {
        if !known.contains(&header.as_str()) {
            report.error(
                Code::ResponseHeader,
                &join(&format!("{at}/headers"), header),
                format!("the header `{header}` of the response {status} is not supported"),
                format!("remove it; supported here: {}", known.join(", ")),
            );
        }
    }
}

/// Checks that a response of a status without content has none.
fn empty(response: &Value, status: &str, at: &str, report: &mut Report<'_>) {
    if response.get("content").is_some() {
        let help = match status {
            "304" => "remove `content`: the client already has it",
            _ => "remove `content`, or write `200`",
        };
        let message = format!("a {status} has no body");
        report.error(Code::StatusWithoutBody, &join(at, "content"), message, help);
    }
}

fn status_of_no_use(status: &str, at: &str, report: &mut Report<'_>) {
    let (code, help) = match status.as_bytes() {
        [b'2', ..] => (
            Code::SuccessStatus,
            "write the status itself, such as `200`, `201` or `204`",
        ),
        [b'3', ..] => (
            Code::ResponseStatus,
            "remove it, or write `200`: of these, only the `304` of `get` is supported",
        ),
        b"4xx" | b"5xx" => (Code::ResponseStatus, "write it in upper case, `4XX` or `5XX`"),
        _ => (
            Code::ResponseStatus,
            "write `200`, or an error such as `404`, `4XX` or `5XX`",
        ),
    };
    report.error(code, at, format!("the status `{status}` is unsupported"), help);
}
