//! The parameters of an operation: its own, and those of its path.

use serde_json::Value;

use super::json::{resolve, text};
use super::structure::Structure;
use super::{ParamLocation, Parameter, Schema, aliases, parameter};
use crate::Code;
use crate::source::{Report, join};

/// The parameters of an operation.
pub(super) struct Parameters {
    pub(super) list: Vec<Parameter>,
    /// The names of those that were rejected, empty where the name is missing.
    rejected: Vec<String>,
}

impl Parameters {
    /// Returns whether a parameter of this name may have been rejected.
    pub(super) fn may_be_rejected(&self, name: &str) -> bool {
        self.rejected
            .iter()
            .any(|rejected| rejected == name || rejected.is_empty())
    }
}

/// Checks the parameters of the components, also unused ones.
pub(super) fn check_components(root: &Value, schemas: &[Schema], report: &mut Report<'_>) {
    let components = root.pointer("/components/parameters").and_then(Value::as_object);
    for (name, value) in components.into_iter().flatten() {
        parameter::read(value, &join("/components/parameters", name), schemas, report);
    }
}

/// The parameters of a path and of its operation; those of the operation override.
pub(super) fn read_all(
    root: &Value,
    lists: [(&Value, String); 2],
    schemas: &[Schema],
    report: &mut Report<'_>,
) -> Parameters {
    let mut parameters = Parameters {
        list: Vec::new(),
        rejected: Vec::new(),
    };
    for (list, at) in lists {
        let mut own: Vec<Parameter> = Vec::new();
        for (index, value) in list.as_array().into_iter().flatten().enumerate() {
            let here = format!("{at}/{index}");
            let (value, pointer) = resolve(root, value, "parameters", &here);
            let Some(parameter) = parameter::read(value, &pointer, schemas, report) else {
                parameters.rejected.push(text(value, "/name"));
                continue;
            };
            if parameter.name.is_empty() {
                parameters.rejected.push(String::new());
            }
            if own.iter().any(|known| same(known, &parameter)) {
                report.error(
                    Code::ParameterTwice,
                    &here,
                    format!("the parameter `{}` is declared twice", parameter.name),
                    "remove one",
                );
                continue;
            }
            own.push(parameter);
        }
        parameters.list.retain(|known| !own.iter().any(|new| same(known, new)));
        parameters.list.extend(own);
    }
    aliases::give(root, &mut parameters.list);
    members_apart(&parameters.list, report);
    parameters
}

fn same(a: &Parameter, b: &Parameter) -> bool {
    a.name == b.name && a.location == b.location
}

/// Rejects objects whose members are parameters of other names.
fn members_apart(list: &[Parameter], report: &mut Report<'_>) {
    for parameter in list {
        let Some(Structure::Members(members)) = &parameter.structure else {
            continue;
        };
        let others = list.iter().filter(|other| other.location == ParamLocation::Query);
        let mut others = others.filter(|other| !std::ptr::eq(*other, parameter));
        let taken = others.find_map(|other| match &other.structure {
            Some(Structure::Members(theirs)) => members.iter().find(|member| theirs.contains(member)),
            _ => members.iter().find(|member| **member == other.name),
        });
        if let Some(member) = taken {
            report.error(
                Code::ParameterTwice,
                &parameter.at,
                format!(
                    "the member `{member}` of the parameter `{}` is declared twice: it is sent as a parameter of its own",
                    parameter.name
                ),
                "write `style: deepObject`, or remove one of the two",
            );
        }
    }
}
