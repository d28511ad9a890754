//! Callbacks of third-party documents: requests that a service sends to the URL of its caller. They are noted by name.

use serde_json::Value;

use crate::diagnostic::Code;
use crate::source::{METHODS, Part, Source, join, walk_at};

/// Notes the callbacks of operations, which are left out.
pub(super) fn note(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let mut found = Vec::new();
    walk_at(Part::Document, "", &mut root, &mut |part, at, members| {
        let callbacks = members.get("callbacks").and_then(Value::as_object);
        for (name, callback) in callbacks.into_iter().flatten().filter(|_| part == Part::Operation) {
            let place = join(&join(at, "callbacks"), name);
            found.push((place, name.clone(), callback.clone()));
        }
    });
    source.value = root;
    for (at, name, callback) in found {
        let requests = requests(&source.value, &callback);
        let message = format!("the callback `{name}`{requests} is a request of the service to its caller");
        source.note(
            Code::Callbacks,
            &at,
            message,
            "it is left out; its named schemas are types of the models",
        );
    }
}

/// The requests of a callback, or of the component that it refers to: a method and an expression of the URL each.
fn requests(root: &Value, callback: &Value) -> String {
    let target = callback["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    let callback = target.and_then(|pointer| root.pointer(pointer)).unwrap_or(callback);
    let urls = callback.as_object().into_iter().flatten();
    let requests = urls.flat_map(|(url, item)| {
        let methods = METHODS.iter().filter(|method| item.get(**method).is_some());
        methods.map(move |method| format!("`{} {url}`", method.to_uppercase()))
    });
    let requests: Vec<_> = requests.collect();
    match requests.is_empty() {
        true => String::new(),
        false => format!(" ({})", requests.join(", ")),
    }
}
