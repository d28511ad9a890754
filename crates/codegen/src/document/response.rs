//! Responses: one successful one, and errors that are problems.

use serde_json::Value;

use super::Schema;
use super::Type;
use super::inline::read_type;
use super::json::resolve;
use crate::Code;
use crate::source::{Report, join};

/// The headers that a 200 or 304 may declare: those that the server's middleware sends.
const CONTENT_HEADERS: [&str; 3] = ["ETag", "Cache-Control", "x-request-id"];
/// The headers that an error may declare.
const PROBLEM_HEADERS: [&str; 4] = ["Allow", "Retry-After", "WWW-Authenticate", "x-request-id"];

/// The body of the successful response.
pub(super) fn read_all(root: &Value, operation: &Value, at: &str, schemas: &[Schema], report: &mut Report<'_>) -> Type {
    let at = format!("{at}/responses");
    let mut success = None;
    let mut rejected = false;
    for (status, value) in operation["responses"].as_object().into_iter().flatten() {
        let here = join(&at, status);
        let (value, pointer) = resolve(root, value, "responses", &here);
        headers(value, status, &pointer, report);
        if status == "200" {
            success = Some(body(value, &pointer, "application/json", report));
        } else if status == "304" {
            empty(value, &pointer, report);
        } else if is_error(status) {
            let problem = body(value, &pointer, "application/problem+json", report);
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
            "add `200` with its body as `application/json`",
        );
    }
    success.unwrap_or_else(Type::broken)
}

fn headers(response: &Value, status: &str, at: &str, report: &mut Report<'_>) {
    let known: &[&str] = match status {
        "200" | "304" => &CONTENT_HEADERS,
        _ => &PROBLEM_HEADERS,
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

/// A 304 has no body: the client already has the content.
fn empty(response: &Value, at: &str, report: &mut Report<'_>) {
    if response.get("content").is_some() {
        report.error(
            Code::NotModifiedBody,
            &join(at, "content"),
            "a 304 has no body",
            "remove `content`: the client already has it",
        );
    }
}

fn status_of_no_use(status: &str, at: &str, report: &mut Report<'_>) {
    let (code, help) = match status.as_bytes() {
        [b'2', ..] => (
            Code::SuccessStatus,
            "an operation has one successful response, `200`: remove this one, or change it to `200`",
        ),
        [b'3', ..] => (
            Code::ResponseStatus,
            "remove it, or write `200`: of these, only `304` is supported",
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

/// The type of the one body of a response or an event.
pub(super) fn body(holder: &Value, at: &str, wanted: &str, report: &mut Report<'_>) -> Type {
    let content = holder["content"].as_object();
    let mut formats = content.into_iter().flatten();
    let (Some((format, media)), None) = (formats.next(), formats.next()) else {
        if let Some(content) = content.filter(|content| !content.is_empty()) {
            let found: Vec<_> = content.keys().map(|format| format!("`{format}`")).collect();
            let verb = if content.contains_key(wanted) { "keep" } else { "write" };
            report.error(
                Code::SeveralMediaTypes,
                &format!("{at}/content"),
                format!("a body with several media types is unsupported: {}", found.join(", ")),
                format!("{verb} only `{wanted}`"),
            );
        } else {
            report.error(
                Code::NoBody,
                at,
                "the response has no body",
                format!("add `content` with `{wanted}` and its `schema`"),
            );
        }
        return Type::broken();
    };
    let at = join(&format!("{at}/content"), format);
    if format != wanted {
        report.error(
            Code::MediaType,
            &at,
            format!("the media type `{format}` is unsupported here"),
            format!("write `{wanted}`"),
        );
        return Type::broken();
    }
    if media.get("schema").is_none() {
        return Type::broken();
    }
    let schema_at = format!("{at}/schema");
    let ty = read_type(&media["schema"], &schema_at, report);
    match &ty {
        Type::Ref(_) => ty,
        Type::Array(items) if matches!(**items, Type::Ref(_)) => ty,
        _ => {
            report.error(
                Code::InlineBody,
                &schema_at,
                format!(
                    "a body must be a named schema, or a list of one; this one is {}",
                    ty.noun()
                ),
                "name it in `components.schemas`, and refer to it by `$ref`",
            );
            Type::broken()
        }
    }
}
