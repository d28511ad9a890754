//! Keys of `paths` of third-party documents that are no paths: a URL, or a path without its slash.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::Code;
use crate::source::{Source, join};

/// Rewrites such keys. The host of a URL is a server of its path.
pub(super) fn rewrite(source: &mut Source<'_>) {
    let odd = |key: &String| !key.starts_with('/') && !key.starts_with("x-") || key.contains(['?', '#']);
    let Some(paths) = source.value.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    if !paths.keys().any(odd) {
        return;
    }
    let plain: HashSet<String> = paths.keys().filter(|key| !odd(key)).cloned().collect();
    let mut rewritten = Map::new();
    let (mut moved, mut out) = (Vec::new(), Vec::new());
    for (key, mut item) in std::mem::take(paths) {
        if !odd(&key) {
            rewritten.insert(key, item);
            continue;
        }
        let (host, path) = split(&key);
        if path.contains(['?', '#']) {
            out.push((key, "a path with a query cannot be routed"));
            continue;
        }
        if plain.contains(&path) || rewritten.contains_key(&path) {
            out.push((key, "another key of `paths` is the same path"));
            continue;
        }
        if let (Some(host), Some(members)) = (host, item.as_object_mut()) {
            members.entry("servers").or_insert_with(|| json!([{ "url": host }]));
        }
        moved.push((join("/paths", &path), join("/paths", &key)));
        rewritten.insert(path, item);
    }
    *paths = rewritten;
    for (key, message) in out {
        let at = join("/paths", &key);
        source.note(Code::PathUrl, &at, message, "its operations are left out");
    }
    for (new, old) in moved {
        let origin = source.origin(&old);
        source.moved(new, origin);
    }
}

/// The host of a key, with its scheme, and the path.
fn split(key: &str) -> (Option<String>, String) {
    let Some((scheme, rest)) = key.split_once("://").filter(|(scheme, _)| !scheme.contains('/')) else {
        let slash = if key.starts_with('/') { "" } else { "/" };
        return (None, format!("{slash}{key}"));
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    (Some(format!("{scheme}://{host}")), format!("/{path}"))
}
