//! Reads operations.

use serde_json::Value;

use super::json::text;
use super::tag::tag_of;
use super::{
    Docs, Operation, Schema, SecurityScheme, Server, Tag, conditional, operations_check, pagination, parameter, path,
    response, security, server,
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
) -> Vec<Operation> {
    let mut operations = Vec::new();
    let default = servers
        .first()
        .map(|server| server.variable.clone())
        .unwrap_or_default();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let path_at = join("/paths", path);
        let Some(get) = item.get("get") else {
            let help = "add `get`, or remove the path";
            report.error(Code::PathWithoutGet, &path_at, "the path has no `get`", help);
            continue;
        };
        let at = format!("{path_at}/get");
        let lists = [
            (&item["parameters"], format!("{path_at}/parameters")),
            (&get["parameters"], format!("{at}/parameters")),
        ];
        let parameters = parameter::read_all(root, lists, schemas, report);
        path::check(path, &path_at, &parameters, report);
        let mut parameters = parameters.list;
        let conditional = conditional::read(root, get, &at, &mut parameters, report);
        let alternatives = security::alternatives(get, &at, schemes, report);
        let body = response::read_all(root, get, &at, schemas, report);
        operations.push(Operation {
            id: text(get, "/operationId"),
            path: path.clone(),
            tag: tag_of(get, &at, tags, report),
            docs: Docs::read(get, &at, report),
            server: server::variable_of(item).unwrap_or_else(|| default.clone()),
            pagination: pagination::read(get, &at, &body, &parameters, schemas, report),
            parameters,
            requirements: security::requirements(&alternatives),
            security: alternatives,
            body,
            conditional,
        });
    }
    operations_check::check(&operations, report);
    operations_check::collisions(&operations, report);
    operations
}
