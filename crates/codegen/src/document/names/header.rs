//! Names of headers and cookies.

use crate::Code;
use crate::source::Report;

/// Checks the name of a header or cookie, which is a token of HTTP.
pub(in crate::document) fn header_name(name: &str, at: &str, report: &mut Report<'_>) {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(token) {
        report.value_error(
            Code::HeaderName,
            at,
            format!("`{name}` is not a valid header name"),
            "use letters, digits and hyphens",
        );
    }
}
