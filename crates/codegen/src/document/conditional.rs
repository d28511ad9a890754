//! Conditional requests (RFC 9110, section 13): `If-None-Match`, `ETag` and 304.
//!
//! The server's middleware evaluates them for every operation, so the parameter is not a field of an operation's input:
//! it is removed from the parameters here, and the client has a separate method for it.

use serde_json::Value;

use super::json::resolve;
use super::{ParamLocation, Parameter, TextLimits, Type};
use crate::Code;
use crate::source::{Report, join};

const HEADER: &str = "If-None-Match";

/// Returns whether the operation declares conditional requests. Removes `If-None-Match` from its parameters.
pub(super) fn read(
    root: &Value,
    operation: &Value,
    at: &str,
    parameters: &mut Vec<Parameter>,
    report: &mut Report<'_>,
) -> bool {
    let of_header = |parameter: &Parameter| {
        parameter.location == ParamLocation::Header && parameter.name.eq_ignore_ascii_case(HEADER)
    };
    let parameter = parameters
        .iter()
        .position(of_header)
        .map(|index| parameters.remove(index));
    let responses = &operation["responses"];
    let here = |status: &str| join(&format!("{at}/responses"), status);
    let (ok, ok_at) = resolve(root, &responses["200"], "responses", &here("200"));
    let tagged = ok["headers"].get("ETag").is_some();
    let not_modified = responses.get("304").is_some();
    if let Some(parameter) = &parameter
        && (parameter.required || parameter.ty != Type::String(TextLimits::default()) || parameter.default.is_some())
    {
        let help = "write `schema: { type: string }`, without `required`, bounds and default";
        let message = format!("`{HEADER}` must be an optional string");
        report.error(Code::Conditional, &parameter.at, message, help);
    } else if !(parameter.is_some() == not_modified && tagged == not_modified) {
        let at = match &parameter {
            _ if not_modified => here("304"),
            Some(parameter) => parameter.at.clone(),
            None => format!("{ok_at}/headers/ETag"),
        };
        let parts = [
            (parameter.is_none(), "the header parameter `If-None-Match`"),
            (!tagged, "`ETag` among the headers of `200`"),
            (!not_modified, "the response `304`"),
        ];
        let missing: Vec<_> = parts
            .iter()
            .filter(|(missing, _)| *missing)
            .map(|(_, part)| *part)
            .collect();
        let message = "conditional requests are only partly declared";
        report.error(
            Code::Conditional,
            &at,
            message,
            format!("add {}", missing.join(" and ")),
        );
    }
    not_modified
}
