//! Operations of paths and webhooks.

use serde_json::Value;

use crate::source::{METHODS, join};

/// The operations of a section: pointer, parameters of the path, method, and the operation.
pub(super) fn operations<'r>(
    root: &'r mut Value,
    section: &'static str,
) -> impl Iterator<Item = (String, Value, String, &'r mut Value)> {
    let items = root.get_mut(section).and_then(Value::as_object_mut);
    items.into_iter().flatten().flat_map(move |(path, item)| {
        let at = join(&format!("/{section}"), path);
        let shared = item["parameters"].clone();
        let members = item.as_object_mut().into_iter().flatten();
        members
            .filter(|(method, operation)| METHODS.contains(&method.as_str()) && operation.is_object())
            .map(move |(method, operation)| (join(&at, method), shared.clone(), method.clone(), operation))
    })
}
