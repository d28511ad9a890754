//! Checks across operations: no ambiguous routes, one pagination per page schema.

use std::collections::HashMap;

use super::path::is_mixed;
use super::{Operation, Pagination};
use crate::Code;
use crate::source::{Report, join};

/// Rejects a schema that is a page in two ways: its `Page` implementation can only have one.
pub(super) fn check(operations: &[Operation], report: &mut Report<'_>) {
    let mut pages: Vec<(&Pagination, String)> = Vec::new();
    for operation in operations {
        let Some(pagination) = &operation.pagination else {
            continue;
        };
        let at = join(&operation.at, "x-pagination");
        let same = pages.iter().find(|(known, _)| known.page == pagination.page);
        match same {
            Some((known, first)) if known.style != pagination.style || known.items != pagination.items => {
                report.error_with(
                    Code::PagingConflict,
                    &at,
                    format!("`{}` is paged in two ways", pagination.page),
                    "give one of the two operations a separate schema",
                    (first, "the other one"),
                );
            }
            Some(_) => {}
            None => pages.push((pagination, at)),
        }
    }
}

/// Advice for a path that is ambiguous for the router.
fn help(path: &str, first: &str) -> &'static str {
    let is_mixed = |path: &str| path.replace("~1", "/").split('/').any(is_mixed);
    if is_mixed(path) || is_mixed(first) {
        "the router matches a parameter as a whole segment, whatever text is beside it: change another segment"
    } else {
        "a trailing slash and the names of parameters make no difference: remove one"
    }
}

/// Rejects two paths that are the same to the router: names of parameters do not matter, and a path that ends in a
/// slash is also served without it. In the tolerant profile, the server has the first of them, and the client both.
pub(super) fn collisions(operations: &mut [Operation], report: &mut Report<'_>) {
    let mut known: HashMap<String, String> = HashMap::new();
    for operation in operations {
        let path = operation.path.strip_suffix('/').unwrap_or(&operation.path);
        let segments = path
            .split('/')
            // The router matches a parameter, with text beside it or without, as a whole segment.
            .map(|segment| if segment.contains('{') { "{}" } else { segment });
        let route = segments.collect::<Vec<_>>().join("/");
        let at = join("/paths", &operation.path);
        match known.get(&route) {
            // Another operation of the same path.
            Some(first) if *first == at => {}
            Some(_) if report.is_tolerant() => {
                operation.is_routed = false;
                report.note(
                    Code::PathsCollide,
                    &operation.at,
                    "two paths match the same URLs",
                    "the client has the operation, the server does not",
                );
            }
            Some(first) => report.error_with(
                Code::PathsCollide,
                &at,
                "two paths match the same URLs",
                help(operation.path.as_str(), first),
                (first, "the first one"),
            ),
            None => {
                known.insert(route, at);
            }
        }
    }
}
