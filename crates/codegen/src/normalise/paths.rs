//! Keys of `paths` of third-party documents that are not paths: a URL, or a path without its slash.

use serde_json::{Map, Value, json};

use crate::source::{Source, join};

/// Rewrites such keys. The host of a URL is a server of its path. A key whose path is another one's stays, and is rejected.
pub(super) fn rewrite(source: &mut Source<'_>) {
    let odd = |key: &String| !key.starts_with('/') && !key.starts_with("x-");
    let Some(paths) = source.value.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    if !paths.keys().any(odd) {
        return;
    }
    let old = std::mem::take(paths);
    let (mut rewritten, mut moved) = (Map::new(), Vec::new());
    for (key, item) in &old {
        let (host, path) = split(key);
        if !odd(key) || old.contains_key(&path) || rewritten.contains_key(&path) {
            rewritten.insert(key.clone(), item.clone());
            continue;
        }
        let mut item = item.clone();
        if let (Some(host), Some(members)) = (host, item.as_object_mut()) {
            members.entry("servers").or_insert_with(|| json!([{ "url": host }]));
        }
        moved.push((join("/paths", &path), join("/paths", key)));
        rewritten.insert(path, item);
    }
    *paths = rewritten;
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
