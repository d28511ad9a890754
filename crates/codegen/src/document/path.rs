//! Paths: segments that the router understands, parameters that are declared, addresses that are told apart.

use std::collections::HashMap;

use super::parameter::Parameters;
use super::{Location, Operation, Parameter};
use crate::Code;
use crate::source::{Report, join};
use crate::suggest;

/// Checks the form of a path, and that its templates and its path parameters are the same names.
pub(super) fn check(path: &str, at: &str, parameters: &Parameters, report: &mut Report<'_>) {
    if !path.starts_with('/') {
        report.error(Code::PathSlash, at, "a path must begin with `/`", "add the slash");
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
                    format!("to the router, `{segment}` is neither text nor a parameter"),
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
                format!("the path parameter `{name}` stands in the path twice"),
                "give the second one a name of its own",
            ),
            Template::Parameter(name) => names.push(name),
        }
    }
    let unused = declared(&names, at, parameters, report);
    // A segment that cannot be read may be meant to name it.
    for parameter in unused.into_iter().filter(|_| legible) {
        report.error(
            Code::PathParameterUnused,
            &parameter.at,
            format!("the path parameter `{}` is not in the path", parameter.name),
            format!("write `{{{}}}` into the path, or remove the parameter", parameter.name),
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

/// Checks that what stands in the path is declared; returns what is declared and was not meant by anything there.
fn declared<'p>(names: &[&str], at: &str, parameters: &'p Parameters, report: &mut Report<'_>) -> Vec<&'p Parameter> {
    let in_path = |p: &&Parameter| p.location == Location::Path && !p.name.is_empty();
    let mut unused: Vec<_> = parameters
        .list
        .iter()
        .filter(in_path)
        .filter(|p| !names.contains(&p.name.as_str()))
        .collect();
    let declared = |name: &str| parameters.list.iter().filter(in_path).any(|p| p.name == name);
    for name in names
        .iter()
        .filter(|name| !declared(name) && !parameters.may_be_refused(name))
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
        // One slip of the pen: the other name is not reported as well.
        unused.retain(|p| Some(&p.name) != meant.as_ref());
    }
    unused
}

/// Fails where the router could not tell two paths apart: parameters may have any name, and a path that ends in a slash
/// answers without it too.
pub(super) fn collisions(operations: &[Operation], report: &mut Report<'_>) {
    let mut known: HashMap<String, String> = HashMap::new();
    for operation in operations {
        let path = operation.path.strip_suffix('/').unwrap_or(&operation.path);
        let segments = path
            .split('/')
            .map(|segment| if segment.starts_with('{') { "{}" } else { segment });
        let route = segments.collect::<Vec<_>>().join("/");
        let at = join("/paths", &operation.path);
        match known.get(&route) {
            Some(first) => report.error_with(
                Code::PathsCollide,
                &at,
                "two paths would answer the same addresses",
                "a slash at the end and the names of parameters make no difference: remove one",
                (first, "the first one"),
            ),
            None => {
                known.insert(route, at);
            }
        }
    }
}
