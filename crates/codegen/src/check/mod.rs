//! Pass 3: rejects, with its location, every construct that the later passes do not support.

mod advice;
#[cfg(test)]
mod coverage;
mod grammar;
mod references;
mod schema_grammar;
mod security_grammar;
mod shape;
mod types;
mod walk;
mod wrong_kind;

use serde_json::Value;

use crate::source::{Report, Source};
use crate::{Code, Profile};

/// Checks the syntax of the whole document: every key, the type of every value, every reference.
pub(crate) fn check(source: &Source<'_>, report: &mut Report<'_>) {
    walk::walk(source, report);
}

/// Checks the version of OpenAPI. With another version, every other diagnostic would be noise.
pub(crate) fn version(source: &Source<'_>, profile: Profile, report: &mut Report<'_>) {
    let version = source.value.get("openapi");
    let is_old = version
        .and_then(Value::as_str)
        .is_some_and(|version| version.starts_with("3.0"));
    let (minors, help): (&[&str], _) = match profile {
        Profile::Strict if is_old => (
            &["3.1."],
            "for a third-party document, add `--profile tolerant`, which reads Swagger 2.0 and OpenAPI 3.0 to 3.2; convert your own one to 3.1",
        ),
        Profile::Strict => (
            &["3.1."],
            "only OpenAPI 3.1 is supported: convert the document, and begin it with `openapi: 3.1.1`; \
             one of another author is read with `--profile tolerant`",
        ),
        Profile::Tolerant => (
            &["3.0", "3.1", "3.2"],
            "only Swagger 2.0 and OpenAPI 3.0 to 3.2 are supported: convert the document to one of them",
        ),
    };
    if let Some(version) = source.value.get("swagger") {
        let version = version.as_str().map_or_else(|| version.to_string(), str::to_owned);
        if profile.is_strict() || !version.starts_with('2') {
            let message = format!("this is a Swagger {version} document");
            report.error(Code::SwaggerDocument, "/swagger", message, help);
        }
        return;
    }
    match version.map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)) {
        None => report.value_error(Code::NoVersion, "", "`openapi` is missing", help),
        Some(version) if minors.iter().any(|minor| version.starts_with(minor)) => {}
        Some(version) => {
            let message = format!("OpenAPI version `{version}` is unsupported");
            report.value_error(Code::OpenapiVersion, "/openapi", message, help);
        }
    }
}
