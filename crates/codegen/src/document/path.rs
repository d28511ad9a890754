//! Paths: valid segments, declared parameters, no ambiguous routes.

use super::parameters::Parameters;
use super::{ParamLocation, Parameter};
use crate::Code;
use crate::source::Report;
use crate::suggest;

/// Checks the syntax of a path, and that its templates match the path parameters of an operation.
pub(super) fn check(path: &str, at: &str, operation: &str, parameters: &Parameters, report: &mut Report<'_>) {
    if !path.starts_with('/') {
        report.error(Code::PathSlash, at, "a path must begin with `/`", "add a slash");
    }
    if let Some(mark) = path.chars().find(|c| ['?', '#'].contains(c)) {
        report.error(
            Code::PathQuery,
            at,
            format!("`{mark}` in a path would be sent as a part of a segment"),
            "remove it with the text behind it, and declare a query as parameters with `in: query`",
        );
    }
    let mut names = Vec::new();
    let mut legible = true;
    for segment in path.split('/') {
        if segment.starts_with([':', '*']) || segment.starts_with("{*") {
            legible = false;
            report.error(
                Code::PathSegment,
                at,
                format!("the router cannot match `{segment}` as text or as a parameter"),
                "begin the segment with a letter; a parameter is written `{name}`",
            );
            continue;
        }
        let Some(found) = parameters_of(segment) else {
            legible = false;
            report.error(
                Code::PathMixedSegment,
                at,
                format!("`{segment}` is neither text nor parameters with text between them"),
                "write `{name}` for a parameter, and a text such as `-` or `.` between two of them",
            );
            continue;
        };
        for name in found {
            if names.contains(&name) {
                report.error(
                    Code::PathParameterTwice,
                    at,
                    format!("the path contains the parameter `{name}` twice"),
                    "give the second one another name",
                );
            } else {
                names.push(name);
            }
        }
    }
    // The operation may be in another file than the path.
    let unused = declared(&names, (at, operation), parameters, report);
    // An invalid segment may name it.
    for parameter in unused.into_iter().filter(|_| legible) {
        report.error(
            Code::PathParameterUnused,
            &parameter.at,
            format!("the path parameter `{}` is not in the path", parameter.name),
            format!("add `{{{}}}` to the path, or remove the parameter", parameter.name),
        );
    }
}

/// The names of the parameters of a segment, in order. None if its braces do not pair, if a parameter has no name, or
/// if there is no text between two parameters.
pub(crate) fn parameters_of(segment: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = segment;
    while let Some((text, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}')?;
        let touches = text.is_empty() && !names.is_empty();
        if touches || text.contains('}') || name.is_empty() || name.contains('{') {
            return None;
        }
        names.push(name);
        rest = after;
    }
    (!rest.contains('}')).then_some(names)
}

/// Returns whether a segment has text beside parameters.
pub(crate) fn is_mixed(segment: &str) -> bool {
    segment.contains('{') && !(segment.starts_with('{') && segment.find('}') == Some(segment.len() - 1))
}

/// The segment without the names of its parameters: `{}-{}`.
pub(crate) fn nameless(segment: &str) -> String {
    let names = parameters_of(segment).unwrap_or_default();
    names.iter().fold(segment.to_owned(), |shape, name| {
        shape.replace(&format!("{{{name}}}"), "{}")
    })
}

/// Checks that the parameters in the path are declared; returns the declared ones that the path does not use.
fn declared<'p>(
    names: &[&str],
    (path, operation): (&str, &str),
    parameters: &'p Parameters,
    report: &mut Report<'_>,
) -> Vec<&'p Parameter> {
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
        let code = Code::PathParameterUndeclared;
        report.error_with(code, operation, message, help, (path, "the path"));
        // A misspelling of this one: the other name is not reported as well.
        unused.retain(|p| Some(&p.name) != meant.as_ref());
    }
    unused
}
