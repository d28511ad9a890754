//! Pass 2: refuses, with its place, every construct that the later passes do not carry.

#[cfg(test)]
mod coverage;
mod grammar;
mod references;
mod walk;

use crate::source::{Report, Source};

/// Checks the form of the whole document: every key, every value's kind, every reference.
pub(crate) fn check(source: &Source<'_>, report: &mut Report<'_>) {
    walk::walk(source, report);
}

/// Checks the version of OpenAPI. In a document of another one, everything would be wrong.
pub(crate) fn version(source: &Source<'_>, report: &mut Report<'_>) {
    const HELP: &str = "Wearlab reads OpenAPI 3.1: write `openapi: 3.1.1`";
    if source.value.get("swagger").is_some() {
        return report.error("/swagger", "this is a Swagger 2.0 document", HELP);
    }
    match source.value.get("openapi").map(|v| v.as_str().unwrap_or("")) {
        None => report.value_error("", "`openapi` is missing", HELP),
        Some(version) if version.starts_with("3.1.") => {}
        Some(version) => report.value_error("/openapi", format!("`{version}` is not OpenAPI 3.1"), HELP),
    }
}
