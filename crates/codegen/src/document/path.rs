//! Paths: valid segments, declared parameters, no ambiguous routes.

use super::parameters::Parameters;
use super::{ParamLocation, Parameter};
use crate::Code;
use crate::source::Report;
use crate::suggest;

/// Checks the syntax of a path, and that its templates match its path parameters.
pub(super) fn check(path: &str, at: &str, parameters: &Parameters, report: &mut Report<'_>) {
    if !path.starts_with('/') {
        report.error(Code::PathSlash, at, "a path must begin with `/`", "add a slash");
    }
    let mut names = Vec::new();
    let mut legible = true;
    for segment in path.split('/') {
        match template(segment) {
            _ if segment.starts_with([':', '*']) || segment.starts_with("{*") => {
                legible = false;
                report.error(
                    Code::PathSegment,
                    at,
                    format!("the router cannot match `{segment}` as text or as a parameter"),
                    "begin the segment with a letter; a parameter is written `{name}`",
                );
            }
            Template::Text => {}
            Template::Mixed => {
                legible = false;
                report.error(
                    Code::PathMixedSegment,
                    at,
                    format!("`{segment}` is neither text nor one parameter"),
                    "a parameter is a whole segment, such as `/{name}/`",
                );
            }
            Template::Parameter(name) if names.contains(&name) => report.error(
                Code::PathParameterTwice,
                at,
                format!("the path contains the parameter `{name}` twice"),
                "give the second one another name",
            ),
            Template::Parameter(name) => names.push(name),
        }
    }
    let unused = declared(&names, at, parameters, report);
    // A segment that cannot be read may name it.
    for parameter in unused.into_iter().filter(|_| legible) {
        report.error(
            Code::PathParameterUnused,
            &parameter.at,
            format!("the path parameter `{}` is not in the path", parameter.name),
            format!("add `{{{}}}` to the path, or remove the parameter", parameter.name),
        );
    }
}

enum Template<'p> {
    Text,
    Parameter(&'p str),
    Mixed,
}

fn template(segment: &str) -> Template<'_> {
    let inner = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match inner {
        Some(name) if !name.is_empty() && !name.contains(['{', '}']) => Template::Parameter(name),
        None if !segment.contains(['{', '}']) => Template::Text,
        _ => Template::Mixed,
    }
}

/// Checks that the parameters in the path are declared; returns the declared ones that the path does not use.
fn declared<'p>(names: &[&str], at: &str, parameters: &'p Parameters, report: &mut Report<'_>) -> Vec<&'p Parameter> {
    let in_path = |p: &&Parameter| p.location == ParamLocation::Path && !p.name.is_empty();
    let mut unused: Vec<_> = parameters
        .list
        .iter()
        .filter(in_path)
        .filter(|p| !names.contains(&p.name.as_str()))
        .collect();
    let declared = |name: &str| parameters.list.iter().filter(in_path).any(|p| p.name == name);
    for name in names
        .iter()
        .filter(|name| !declared(name) && !parameters.may_be_rejected(name))
    {
        let elsewhere = parameters.list.iter().find(|p| p.name == *name);
        let meant = suggest::nearest(name, unused.iter().map(|p| p.name.as_str())).map(str::to_owned);
        let help = match (elsewhere, &meant) {
            (Some(other), _) => format!(
                "it is declared with `in: {}`: write `in: path`",
                other.location.as_str()
            ),
            (None, Some(meant)) => format!("did you mean `{{{meant}}}`, which is declared?"),
            (None, None) => format!("add `{{name: {name}, in: path, required: true, schema: ...}}` to `parameters`"),
        };
        let message = format!("the path parameter `{name}` is not declared");
        report.error(Code::PathParameterUndeclared, at, message, help);
        // A misspelling of this one: the other name is not reported as well.
        unused.retain(|p| Some(&p.name) != meant.as_ref());
    }
    unused
}
