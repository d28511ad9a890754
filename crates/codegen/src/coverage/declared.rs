//! The operations that a document declares, with references and the parameters of paths resolved.

use serde_json::Value;

use super::open::is_open;
use crate::document::{FORM, essence, is_framing, is_memberless};
use crate::source::{METHODS, target};

/// Header parameters that OpenAPI ignores, as media types and credentials have them.
const IGNORED: [&str; 3] = ["accept", "authorization", "content-type"];

/// The statuses of redirects, which are responses as successes are.
const REDIRECTS: [&str; 5] = ["301", "302", "303", "307", "308"];

/// The operations of a document.
pub(crate) struct Declared {
    pub(super) operations: Vec<DeclaredOperation>,
}

/// An operation of a document.
pub(super) struct DeclaredOperation {
    pub(super) path: String,
    pub(super) method: &'static str,
    /// Names by location, both as the document has them.
    pub(super) parameters: Vec<(String, String)>,
    pub(super) body: Option<DeclaredBody>,
    pub(super) successes: Vec<DeclaredResponse>,
    /// The statuses of errors. A 304 follows a conditional request alone.
    pub(super) errors: Vec<String>,
    /// The names of schemes in each alternative, sorted.
    pub(super) security: Vec<Vec<String>>,
}

/// A response of a document.
pub(super) struct DeclaredResponse {
    pub(super) status: String,
    pub(super) body: Option<DeclaredBody>,
    pub(super) headers: Vec<String>,
}

/// A body of a document.
#[derive(Clone, Copy)]
pub(super) struct DeclaredBody {
    /// True if its schema accepts any value.
    pub(super) open: bool,
}

impl Declared {
    /// Reads the operations of a document, before anything is left out.
    pub(crate) fn read(root: &Value) -> Self {
        let mut operations = Vec::new();
        for (path, item) in root["paths"].as_object().into_iter().flatten() {
            let item = target(root, item);
            for method in METHODS {
                if let Some(value) = item.get(method).filter(|value| value.is_object()) {
                    operations.push(operation(root, path, item, method, value));
                }
            }
        }
        Self { operations }
    }
}

fn operation(root: &Value, path: &str, item: &Value, method: &'static str, value: &Value) -> DeclaredOperation {
    let lists = [&item["parameters"], &value["parameters"]];
    let mut parameters: Vec<(String, String)> = Vec::new();
    for parameter in lists.into_iter().filter_map(Value::as_array).flatten() {
        let parameter = target(root, parameter);
        let (Some(location), Some(name)) = (parameter["in"].as_str(), parameter["name"].as_str()) else {
            continue;
        };
        let ignored = location == "header" && IGNORED.contains(&name.to_ascii_lowercase().as_str());
        let found = (location.to_owned(), name.to_owned());
        if !ignored && !parameters.contains(&found) {
            parameters.push(found);
        }
    }
    let all = value["responses"].as_object().into_iter().flatten();
    let only = value["responses"].as_object().is_some_and(|all| all.len() == 1);
    let (successes, errors): (Vec<_>, Vec<_>) = all.partition(|(status, _)| {
        let success = status.starts_with('2') && status.len() == 3;
        success || REDIRECTS.contains(&status.as_str()) || only && *status == "default"
    });
    let security = value.get("security").or(root.get("security")).and_then(Value::as_array);
    DeclaredOperation {
        path: path.to_owned(),
        method,
        parameters,
        body: value
            .get("requestBody")
            .map(|body| target(root, body))
            .filter(|body| !is_empty(root, method, body))
            .and_then(|body| body_of(root, body)),
        successes: successes
            .into_iter()
            .map(|(status, response)| {
                let response = target(root, response);
                let headers = response["headers"].as_object().into_iter().flatten();
                let names = headers.map(|(name, _)| name.clone());
                DeclaredResponse {
                    status: status.clone(),
                    body: body_of(root, response).filter(|_| has_content(status) && method != "head"),
                    headers: names.filter(|name| !is_framing(name, method == "head")).collect(),
                }
            })
            .collect(),
        errors: errors
            .into_iter()
            .map(|(status, _)| status.clone())
            .filter(|status| status.starts_with(['4', '5']) || status == "default")
            .collect(),
        security: security.into_iter().flatten().map(schemes).collect(),
    }
}

/// Returns whether a response of a status has content.
fn has_content(status: &str) -> bool {
    !["204", "205"].contains(&status) && !status.starts_with('3')
}

/// The body of a request or a response.
fn body_of(root: &Value, holder: &Value) -> Option<DeclaredBody> {
    let content = holder["content"].as_object().filter(|content| !content.is_empty())?;
    let open = content.values().all(|media| is_open(root, &media["schema"]));
    Some(DeclaredBody { open })
}

/// Returns whether nothing is sent as a body: an object without members in a form or in a request of `get` or `head`.
fn is_empty(root: &Value, method: &str, holder: &Value) -> bool {
    let mut all = holder["content"].as_object().into_iter().flatten();
    all.all(|(name, media)| {
        (["get", "head"].contains(&method) || essence(name) == FORM) && is_memberless(target(root, &media["schema"]))
    })
}

/// The names of the schemes in an alternative, sorted.
pub(super) fn schemes(alternative: &Value) -> Vec<String> {
    let mut names: Vec<_> = alternative
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    names.sort();
    names
}
