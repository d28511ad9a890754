//! Statuses in the source code of the service: the document declares all of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use wearlab_server::operations;
use wearlab_tests::parameters::{described, has_parameters};
use wearlab_tests::sends_json;

use super::seen::declared;

/// Collects the Rust files of a directory, without generated ones.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("generated") && !path.ends_with("tests") {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn the_code_names_no_status_that_the_document_lacks() {
    // A tester can request faults with any status.
    const ANY_STATUS: [&str; 2] = ["kit-server/src/error.rs", "http/src/faults.rs"];
    let name = |status: StatusCode| {
        let reason = status.canonical_reason()?;
        Some(reason.to_uppercase().replace([' ', '-'], "_").replace('\'', ""))
    };
    let all: Vec<_> = (100..600).filter_map(|code| StatusCode::from_u16(code).ok()).collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut paths = Vec::new();
    for member in [
        "kit-server/src",
        "server/src",
        "http/src",
        "service/src",
        "intake/src",
        "wearlab/src",
    ] {
        files(&crates.join(member), &mut paths);
    }
    let mut named = BTreeSet::new();
    // Code for other documents, whose operations have bodies or statuses that this one lacks.
    const OTHER_DOCUMENTS: [&str; 2] = ["kit-server/src/body.rs", "kit-server/src/reply.rs"];
    paths.retain(|path| !OTHER_DOCUMENTS.iter().any(|other| path.ends_with(other)));
    // Unit tests in separate files.
    paths.retain(|path| !path.ends_with("tests.rs"));
    for path in paths {
        let text = fs::read_to_string(&path).expect("a file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for rest in code.split("StatusCode::").skip(1) {
            let word: String = rest
                .chars()
                .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                .collect();
            let status = all.iter().find(|status| name(**status).as_deref() == Some(&word));
            named.extend(status.map(StatusCode::as_u16));
            let known = status.is_some() || word.is_empty() && ANY_STATUS.iter().any(|any| path.ends_with(any));
            assert!(known, "{}: which status is `StatusCode::{word}`?", path.display());
        }
        let faults = path.ends_with("error.rs") || path.ends_with("faults.rs");
        assert!(
            faults || !code.contains("of_status("),
            "{}: a status of which value?",
            path.display()
        );
    }
    let streams: Vec<_> = wearlab_tests::streams().map(|operation| operation.id).collect();
    for operation in operations::ALL {
        let declared = declared(operation);
        let stream = streams.contains(&operation.id);
        // Statuses that some operations never return, because they have no parameters, no objects, or no body.
        let not_here = |status: u16| match status {
            // It has no body.
            415 => described(operation)["requestBody"].is_null(),
            // Reads have entity tags, except streams.
            304 => !operation.method.is_safe() || !sends_json(operation),
            // Conflicts of a write are provoked one by one, because the code does not show whether there can be one.
            409 | 412 => true,
            // A stream has neither limits of size and time nor parameters.
            404 | 408 | 413 | 422 if stream => true,
            // A completed write cannot fail: it has no 406, and its success may be another status than 200.
            200 | 406 => !operation.method.is_safe() && !stream,
            // It is about no object that may be missing: where its query or body names one, its own tests say so.
            404 => !operation.path.contains('{'),
            // The service has all operations.
            501 => true,
            422 => !has_parameters(operation) && described(operation)["requestBody"].is_null(),
            _ => false,
        };
        let missing: Vec<_> = named
            .iter()
            .filter(|status| !declared.contains(&status.to_string()) && !not_here(**status))
            .collect();
        assert!(missing.is_empty(), "{}: the document lacks {missing:?}", operation.id);
    }
    assert!(named.len() > 10, "{named:?}");
}
