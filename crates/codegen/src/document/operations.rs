//! Reads operations, and the types of their headers.

use serde_json::Value;

use super::json::{rust_name, text};
use super::tag::tag_of;
use super::{
    Docs, Method, Operation, Schema, SecurityScheme, Server, Tag, aliases, body, conditional, header_types,
    operations_check, pagination, parameters, path, response, security, server,
};
use crate::Code;
use crate::source::{Report, join};

pub(super) fn read_all(
    root: &Value,
    tags: &[Tag],
    servers: &[Server],
    schemes: &[SecurityScheme],
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> (Vec<Operation>, Vec<Schema>) {
    let (mut operations, mut header_types) = (Vec::new(), Vec::new());
    let default = servers
        .first()
        .map(|server| server.variable.clone())
        .unwrap_or_default();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let path_at = join("/paths", path);
        let members = item.as_object().into_iter().flatten();
        let mut methods = members
            .filter_map(|(key, value)| Some((Method::of_key(key)?, value)))
            .peekable();
        if methods.peek().is_none() {
            let help = "add an operation, such as `get`, or remove the path";
            report.error(Code::PathWithoutOperation, &path_at, "the path has no operation", help);
        }
        for (method, value) in methods {
            let at = join(&path_at, method.key());
            let lists = [
                (&item["parameters"], join(&path_at, "parameters")),
                (&value["parameters"], join(&at, "parameters")),
            ];
            let parameters = parameters::read_all(root, lists, schemas, report);
            path::check(path, &path_at, &at, &parameters, report);
            let mut parameters = parameters.list;
            let conditional = method == Method::Get && conditional::read(root, value, &at, &mut parameters, report);
            let alternatives = security::alternatives(value, &at, schemes, report);
            let mut responses = response::read_all(root, value, method, &at, schemas, report);
            let success = responses.successes.remove(0);
            let mut operation = Operation {
                id: rust_name(value).unwrap_or_else(|| text(value, "/operationId")),
                id_at: match value.get("x-rust-name") {
                    Some(_) => join(&at, "x-rust-name"),
                    None => join(&at, "operationId"),
                },
                method,
                path: path.clone(),
                tag: tag_of(value, &at, tags, report),
                docs: Docs::read(value, &at, report),
                server: server::variable_of(value)
                    .or_else(|| server::variable_of(item))
                    .unwrap_or_else(|| default.clone()),
                request: body::of_request(root, value, method, &at, schemas, report),
                pagination: pagination::read(value, method, &at, success.json(), &parameters, schemas, report),
                paging: None,
                parameters,
                requirements: security::requirements(&alternatives),
                security: alternatives,
                success,
                others: responses.successes,
                errors: responses.errors,
                events: responses.events,
                error_headers: responses.error_headers,
                conditional,
                is_routed: true,
                at,
            };
            header_types.extend(header_types::name(&mut operation, responses.headers));
            operations.push(operation);
        }
    }
    operations_check::check(&operations, report);
    aliases::check(root, &operations, report);
    operations_check::collisions(&mut operations, report);
    (operations, header_types)
}
