//! Operations: a path, what goes in, what comes out, who may call.

use serde_json::Value;

use super::types::read_type;
use super::{
    Area, Docs, Location, Pagination, Parameter, Requirement, Schema, SecurityScheme, Server, Type, area_of,
    pagination, parameter, resolve, security, server, text,
};
use crate::source::{Report, join};

/// One operation of the interface.
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) area: String,
    pub(crate) docs: Docs,
    /// The variable of the server it is answered at.
    pub(crate) server: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Alternatives; each names schemes that are wanted together.
    pub(crate) security: Vec<Vec<String>>,
    pub(crate) requirements: Vec<Requirement>,
    /// The body of the one successful answer.
    pub(crate) body: Type,
    pub(crate) pagination: Option<Pagination>,
}

pub(super) fn read_all(
    root: &Value,
    areas: &[Area],
    servers: &[Server],
    schemes: &[SecurityScheme],
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Vec<Operation> {
    let mut operations = Vec::new();
    let default = servers
        .first()
        .map(|server| server.variable.clone())
        .unwrap_or_default();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let path_at = join("/paths", path);
        let Some(get) = item.get("get") else {
            report.error(&path_at, "a path without `get`", "add `get`, or remove the path");
            continue;
        };
        let at = format!("{path_at}/get");
        let lists = [
            (&item["parameters"], format!("{path_at}/parameters")),
            (&get["parameters"], format!("{at}/parameters")),
        ];
        let parameters = parameter::read_all(root, lists, schemas, report);
        check_path(path, &path_at, &parameters, report);
        let alternatives = security::alternatives(get, &at, schemes, report);
        let Some(body) = responses(root, get, &at, report) else {
            continue;
        };
        operations.push(Operation {
            id: text(get, "/operationId"),
            path: path.clone(),
            area: area_of(get, &at, areas, report),
            docs: Docs::read(get, &at, report),
            server: server::variable_of(item).unwrap_or_else(|| default.clone()),
            pagination: pagination::read(get, &at, &body, &parameters, schemas, report),
            parameters,
            requirements: security::requirements(&alternatives),
            security: alternatives,
            body,
        });
    }
    pagination::check(&operations, report);
    routes(&operations, report);
    operations
}

/// The path's templates and its path parameters are the same names.
fn check_path(path: &str, at: &str, parameters: &[Parameter], report: &mut Report<'_>) {
    if !path.starts_with('/') {
        report.error(at, "a path begins with `/`", "add the slash");
    }
    let mut names = Vec::new();
    for segment in path.split('/') {
        if segment.starts_with([':', '*']) || segment.starts_with("{*") {
            report.error(
                at,
                format!("the router takes `{segment}` for something else"),
                "begin the segment with a letter; a parameter is written `{name}`",
            );
        }
        if let Some(name) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            if names.contains(&name) || name.contains(['{', '}']) {
                report.error(
                    at,
                    format!("the path parameter `{name}` cannot stand here"),
                    "each parameter stands in the path once, in one pair of braces",
                );
            }
            names.push(name);
        } else if segment.contains(['{', '}']) {
            report.error(
                at,
                format!("`{segment}` mixes text and a parameter"),
                "a parameter is a whole segment",
            );
        }
    }
    let declared: Vec<_> = parameters.iter().filter(|p| p.location == Location::Path).collect();
    for name in &names {
        if !declared.iter().any(|p| p.name == *name) {
            report.error(
                at,
                format!("the path parameter `{name}` is not declared"),
                "add it to `parameters`",
            );
        }
    }
    for parameter in declared {
        if !names.contains(&parameter.name.as_str()) {
            report.error(
                at,
                format!("the path parameter `{}` is not in the path", parameter.name),
                "write it into the path, or remove the parameter",
            );
        }
    }
}

/// Fails where the router could not tell two paths apart: parameters may have any name, and a path that ends in a slash
/// answers without it too.
fn routes(operations: &[Operation], report: &mut Report<'_>) {
    let mut known: Vec<(String, String)> = Vec::new();
    for operation in operations {
        let path = operation.path.strip_suffix('/').unwrap_or(&operation.path);
        let segments = path
            .split('/')
            .map(|segment| if segment.starts_with('{') { "{}" } else { segment });
        let route = segments.collect::<Vec<_>>().join("/");
        let at = join("/paths", &operation.path);
        match known.iter().find(|(other, _)| *other == route) {
            Some((_, first)) => report.error_with(
                &at,
                "two paths would answer the same addresses",
                "a slash at the end and the names of parameters make no difference: remove one",
                (first, "the first one"),
            ),
            None => known.push((route, at)),
        }
    }
}

/// The headers that the server sends with errors.
const PROBLEM_HEADERS: [&str; 2] = ["Allow", "Retry-After"];

fn responses(root: &Value, operation: &Value, at: &str, report: &mut Report<'_>) -> Option<Type> {
    let at = format!("{at}/responses");
    let mut body = None;
    for (status, value) in operation["responses"].as_object().into_iter().flatten() {
        let here = join(&at, status);
        let (value, place) = resolve(root, value, &here);
        for header in value["headers"]
            .as_object()
            .into_iter()
            .flat_map(|headers| headers.keys())
        {
            if status == "200" || !PROBLEM_HEADERS.contains(&header.as_str()) {
                report.error(
                    &join(&format!("{place}/headers"), header),
                    format!("the header `{header}` of the answer {status} is not carried"),
                    format!("errors may have: {}", PROBLEM_HEADERS.join(", ")),
                );
            }
        }
        match status.as_str() {
            "200" => body = Some(content(value, &place, "application/json", report)?),
            other if is_error(other) => {
                let problem = content(value, &place, "application/problem+json", report)?;
                if problem != Type::Ref("Problem".to_owned()) {
                    report.error(
                        &place,
                        "every error is a `Problem`",
                        "refer to `#/components/schemas/Problem`",
                    );
                }
            }
            other => report.error(
                &here,
                format!("the status {other} is not carried"),
                "an operation answers 200, and 4xx or 5xx with a problem",
            ),
        }
    }
    if body.is_none() {
        report.error(&at, "no successful answer", "add `200` with its body");
    }
    body
}

fn is_error(status: &str) -> bool {
    let mut digits = status.chars();
    matches!(digits.next(), Some('4' | '5'))
        && status.len() == 3
        && (status.ends_with("XX") || digits.all(|c| c.is_ascii_digit()))
}

/// The one body of a response.
fn content(response: &Value, at: &str, media_type: &str, report: &mut Report<'_>) -> Option<Type> {
    let content = response["content"].as_object();
    let Some(media) = content.filter(|c| c.len() == 1).and_then(|c| c.get(media_type)) else {
        report.error(
            at,
            format!("the body of this response is not `{media_type}` alone"),
            format!("write `{media_type}`"),
        );
        return None;
    };
    let at = join(&format!("{at}/content"), media_type);
    let schema_at = format!("{at}/schema");
    let ty = read_type(&media["schema"], &schema_at, report)?;
    match &ty {
        Type::Ref(_) => Some(ty),
        Type::Array(items) if matches!(**items, Type::Ref(_)) => Some(ty),
        _ => {
            report.error(
                &schema_at,
                "a body is a named schema, or a list of one",
                "name it in `components.schemas`",
            );
            None
        }
    }
}
