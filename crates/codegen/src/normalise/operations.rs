//! Operations: the document's default security; for third-party documents, ids, summaries and tags.

use serde_json::{Value, json};

use super::names::{Taken, snake_name};
use crate::document::is_operation_name;
use crate::source::METHODS;

/// Moves the security of the document to the operations that have none of their own.
pub(super) fn default_security(root: &mut Value) {
    let Some(security) = root.as_object_mut().and_then(|root| root.shift_remove("security")) else {
        return;
    };
    each(root, |_, _, operation| {
        if operation.get("security").is_none() {
            operation["security"] = security.clone();
        }
    });
}

/// Adds the parts of an operation that the strict profile requires.
pub(super) fn complete(root: &mut Value) {
    let secured = root.get("security").is_some();
    let mut taken = Taken::default();
    each(root, |path, method, operation| {
        let id = operation["operationId"].as_str().map(snake_name);
        let id = id.unwrap_or_else(|| snake_name(&format!("{method} {path}")));
        let id = if is_operation_name(&id) {
            id
        } else {
            format!("{method}_{id}")
        };
        operation["operationId"] = json!(taken.free(&id));
        if operation["summary"].as_str().is_none_or(|text| text.trim().is_empty()) {
            operation["summary"] = json!(format!("`{} {path}`", method.to_uppercase()));
        }
        if !secured && operation.get("security").is_none() {
            operation["security"] = json!([]);
        }
    });
    for item in root
        .get_mut("webhooks")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        let (key, item) = item;
        let Some(post) = item.get_mut("post").filter(|post| post.is_object()) else {
            continue;
        };
        let id = post["operationId"].as_str().map_or_else(|| snake_name(key), snake_name);
        post["operationId"] = json!(taken.free(&id));
        if post["summary"].as_str().is_none() {
            post["summary"] = json!(format!("`{key}`"));
        }
    }
}

/// Calls `visit` with the path, method and object of each operation.
pub(super) fn each(root: &mut Value, mut visit: impl FnMut(&str, &str, &mut Value)) {
    for (path, item) in root
        .get_mut("paths")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            if METHODS.contains(&method.as_str()) && operation.is_object() {
                visit(path, method, operation);
            }
        }
    }
}
