//! Pass 2: refuses, with its place, every construct that the later passes do not carry.

mod advice;
#[cfg(test)]
mod coverage;
mod grammar;
mod references;
mod types;
mod walk;

use crate::Code;
use crate::source::{Report, Source};

/// Checks the form of the whole document: every key, every value's kind, every reference.
pub(crate) fn check(source: &Source<'_>, report: &mut Report<'_>) {
    walk::walk(source, report);
}

/// Checks the version of OpenAPI. In a document of another one, everything would be wrong.
pub(crate) fn version(source: &Source<'_>, report: &mut Report<'_>) {
    const HELP: &str = "Wearlab reads OpenAPI 3.1: write the document in it, with `openapi: 3.1.1` at its top";
    if source.value.get("swagger").is_some() {
        let message = "this is a Swagger 2.0 document";
        return report.error(Code::SwaggerDocument, "/swagger", message, HELP);
    }
    let version = source.value.get("openapi");
    match version.map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)) {
        None => report.value_error(Code::NoVersion, "", "`openapi` is missing", HELP),
        Some(version) if version.starts_with("3.1.") => {}
        Some(version) => {
            let message = format!("OpenAPI of version `{version}` is not read");
            report.value_error(Code::OpenapiVersion, "/openapi", message, HELP);
        }
    }
}
