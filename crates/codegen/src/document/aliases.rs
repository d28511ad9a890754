//! Other names that requests may use: of properties, `x-aliases`; of parameters, `x-parameter-aliases` of the document,
//! which holds for every operation that has such a parameter.

use serde_json::Value;

use super::{Operation, ParamLocation, Parameter, Property};
use crate::Code;
use crate::source::{Report, join};

/// The keyword at the root of the document.
const KEY: &str = "x-parameter-aliases";

/// The other names of a parameter of this name.
pub(crate) fn of(root: &Value, name: &str) -> Vec<String> {
    listed(&root[KEY][name])
}

/// The names of a list.
pub(super) fn listed(list: &Value) -> Vec<String> {
    let all = list.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Adds their other names to the parameters of an operation.
pub(super) fn give(root: &Value, parameters: &mut [Parameter]) {
    for parameter in parameters.iter_mut().filter(|parameter| may_have(parameter)) {
        parameter.aliases = of(root, &parameter.name);
    }
}

/// Reports aliases of properties that are properties themselves, or aliases of two.
pub(super) fn check_properties(properties: &[Property], at: &str, report: &mut Report<'_>) {
    let mut names: Vec<&str> = properties.iter().map(|property| property.name.as_str()).collect();
    for property in properties {
        for (index, alias) in property.aliases.iter().enumerate() {
            if names.contains(&alias.as_str()) {
                let here = format!("{}/x-aliases/{index}", join(&join(at, "properties"), &property.name));
                let message = format!("`{alias}` is the name of another property");
                report.value_error(Code::OtherName, &here, message, "choose another alias, or remove it");
            }
            names.push(alias);
        }
    }
}

/// Reports aliases that no parameter has, and those that are names of another parameter of an operation.
pub(super) fn check(root: &Value, operations: &[Operation], report: &mut Report<'_>) {
    let at = join("", KEY);
    for name in root[KEY].as_object().into_iter().flat_map(|all| all.keys()) {
        let here = join(&at, name);
        let mut owners = operations.iter().flat_map(|operation| {
            let own = operation.parameters.iter().filter(|parameter| parameter.name == *name);
            own.map(move |parameter| (operation, parameter))
        });
        if !owners.clone().any(|(_, parameter)| may_have(parameter)) {
            let message = format!("no parameter `{name}` can have another name");
            let help = "name a parameter in the query or a header that is neither a list nor an object, or remove it";
            report.error(Code::OtherName, &here, message, help);
            continue;
        }
        let taken = owners.find_map(|(operation, parameter)| {
            let others = operation
                .parameters
                .iter()
                .filter(|other| other.location == parameter.location);
            let taken = others.filter(|other| {
                parameter
                    .aliases
                    .iter()
                    .any(|alias| same(parameter, alias, &other.name))
            });
            taken.map(|other| (operation, other)).next()
        });
        if let Some((operation, other)) = taken {
            let message = format!("`{}` is a parameter of its own of `{}`", other.name, operation.id);
            let help = "a name belongs to one parameter: choose another alias, or rename the parameter";
            report.error_with(Code::OtherName, &here, message, help, (&other.at, "the parameter"));
        }
    }
}

/// Returns whether a parameter can have other names: it is one text of the query or of a header.
fn may_have(parameter: &Parameter) -> bool {
    matches!(parameter.location, ParamLocation::Query | ParamLocation::Header)
        && parameter.separator.is_none()
        && parameter.structure.is_none()
}

/// Returns whether two names are equal in the place of a parameter.
fn same(parameter: &Parameter, a: &str, b: &str) -> bool {
    match parameter.location {
        ParamLocation::Header => a.eq_ignore_ascii_case(b),
        _ => a == b,
    }
}
