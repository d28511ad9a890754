//! Operations: path, parameters, response, credentials.

use serde_json::Value;

use super::{
    Docs, Pagination, Parameter, Requirement, Schema, SecurityScheme, Server, Tag, Type, conditional, pagination,
    parameter, path, response, security, server, tag_of, text,
};
use crate::Code;
use crate::rustdoc::code_span;
use crate::source::{Report, join};

/// One operation of the interface.
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) tag: String,
    pub(crate) docs: Docs,
    /// The variable of its server.
    pub(crate) server: String,
    pub(crate) parameters: Vec<Parameter>,
    /// Alternatives, each a list of schemes that are required together. Those that only a setting of the service
    /// allows come last.
    pub(crate) security: Vec<Vec<String>>,
    pub(crate) requirements: Vec<Requirement>,
    /// The body of the successful response.
    pub(crate) body: Type,
    pub(crate) pagination: Option<Pagination>,
    /// Whether `If-None-Match` is evaluated, with a 304 for unchanged content.
    pub(crate) conditional: bool,
}

impl Operation {
    /// Method and path, for documentation.
    pub(crate) fn request(&self) -> String {
        code_span(&format!("GET {}", self.path))
    }
}

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
    pagination::check(&operations, report);
    path::collisions(&operations, report);
    operations
}
