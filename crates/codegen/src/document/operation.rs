//! Operations: a path, what goes in, what comes out, who may call.

use serde_json::Value;

use super::{
    Area, Docs, Pagination, Parameter, Requirement, Schema, SecurityScheme, Server, Type, area_of, conditional,
    pagination, parameter, path, response, security, server, text,
};
use crate::Code;
use crate::rustdoc::code_span;
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
    /// Alternatives; each names schemes that are wanted together. Those that only a setting of the service allows are the
    /// last ones.
    pub(crate) security: Vec<Vec<String>>,
    pub(crate) requirements: Vec<Requirement>,
    /// The body of the one successful answer.
    pub(crate) body: Type,
    pub(crate) pagination: Option<Pagination>,
    /// Whether `If-None-Match` is evaluated: a caller that has the content already gets a 304.
    pub(crate) conditional: bool,
}

impl Operation {
    /// What is sent, as docs name it: its method and its path.
    pub(crate) fn request(&self) -> String {
        code_span(&format!("GET {}", self.path))
    }
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
            let help = "add `get`, or remove the path";
            report.error(Code::PathWithoutGet, &path_at, "a path without `get`", help);
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
            area: area_of(get, &at, areas, report),
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
