//! Responses: one successful one, and errors that are problems.

use serde_json::Value;

use super::content::Sender;
use super::json::resolve;
use super::{Content, Method, Schema, Type, body};
use crate::Code;
use crate::source::{Report, join};

/// The headers that a success or a 304 may declare: those that the server's middleware sends.
const CONTENT_HEADERS: [&str; 3] = ["ETag", "Cache-Control", "x-request-id"];
/// The headers that an error may declare.
const PROBLEM_HEADERS: [&str; 4] = ["Allow", "Retry-After", "WWW-Authenticate", "x-request-id"];

/// The statuses of a success without a body.
const EMPTY: [&str; 2] = ["204", "205"];

/// A successful response.
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Its body, if it has one.
    pub(crate) body: Option<Content>,
}

/// The successful response.
pub(super) fn read_all(
    root: &Value,
    operation: &Value,
    method: Method,
    at: &str,
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Response {
    let at = format!("{at}/responses");
    let mut success: Option<(Response, String)> = None;
    let mut rejected = false;
    for (status, value) in operation["responses"].as_object().into_iter().flatten() {
        let here = join(&at, status);
        let (value, pointer) = resolve(root, value, "responses", &here);
        headers(value, status, &pointer, report);
        if let Some(number) = success_status(status) {
            let response = Response {
                status: number,
                body: content(value, status, &pointer, report),
            };
            if let Some((_, first)) = &success {
                let message = "a second successful response is unsupported";
                let help = "keep one of them";
                report.error_with(Code::SuccessStatus, &here, message, help, (first, "the first one"));
            } else {
                success = Some((response, here));
            }
        } else if status == "304" && method == Method::Get {
            empty(value, status, &pointer, report);
        } else if is_error(status) {
            let problem = body::read(value, &pointer, "application/problem+json", report);
            if problem != Type::Ref("Problem".to_owned()) && !problem.is_broken(schemas) {
                report.error(
                    Code::ErrorBody,
                    &format!("{pointer}/content/application~1problem+json/schema"),
                    format!("every error must be a `Problem`; this one is {}", problem.noun()),
                    "refer to `#/components/schemas/Problem`",
                );
            }
        } else {
            rejected = true;
            status_of_no_use(status, &here, report);
        }
    }
    if success.is_none() && !rejected {
        report.error(
            Code::NoSuccess,
            &at,
            "no successful response",
            "add `200` with its body as `application/json`, or `204`, which has none",
        );
    }
    success.map_or_else(Response::broken, |(response, _)| response)
}

impl Response {
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
        b"default" => (Code::ResponseStatus, "write `4XX` and `5XX`, or each status separately"),
        b"4xx" | b"5xx" => (Code::ResponseStatus, "write it in upper case, `4XX` or `5XX`"),
        _ => (
            Code::ResponseStatus,
            "write `200`, or an error such as `404`, `4XX` or `5XX`",
        ),
    };
    report.error(code, at, format!("the status `{status}` is unsupported"), help);
}

fn is_error(status: &str) -> bool {
    let mut digits = status.chars();
    matches!(digits.next(), Some('4' | '5'))
        && status.len() == 3
        && (status.ends_with("XX") || digits.all(|c| c.is_ascii_digit()))
}
