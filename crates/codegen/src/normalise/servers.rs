//! Servers of third-party documents: each list is one variable, whose default is the first URL.

use serde_json::{Value, json};

use super::names::{Taken, snake_name};
use crate::source::METHODS;

/// Rewrites the servers of the document, its paths and its operations. Servers of operations move to their path if all
/// have the same.
pub(super) fn normalise(root: &mut Value) {
    let own = url(root).unwrap_or_else(|| "http://localhost".to_owned());
    let description = root["servers"][0]["description"]
        .as_str()
        .unwrap_or("The URL of the service.");
    root["servers"] = server("base_url", &own, description);
    let mut taken = Taken::default();
    taken.free("base_url");
    let mut variables: Vec<(String, String)> = Vec::new();
    let items = root.get_mut("paths").and_then(Value::as_object_mut);
    for (_, item) in items.into_iter().flatten() {
        let Some(of_path) = item.is_object().then(|| url(item).unwrap_or_else(|| own.clone())) else {
            continue;
        };
        let operations = || METHODS.iter().filter_map(|method| item.get(*method));
        let mut urls: Vec<_> = operations()
            .map(|operation| url(operation).unwrap_or_else(|| of_path.clone()))
            .collect();
        urls.dedup();
        let mut set = |holder: &mut Value, url: &str| {
            if url != own {
                let name = variable(url, &mut variables, &mut taken);
                holder["servers"] = server(&name, url, "The URL of some operations.");
            } else if let Some(holder) = holder.as_object_mut() {
                holder.shift_remove("servers");
            }
        };
        let (path_url, each) = match urls.as_slice() {
            [url] => (url.clone(), false),
            _ => (own.clone(), true),
        };
        for method in METHODS {
            let Some(operation) = item.get_mut(method).filter(|operation| operation.is_object()) else {
                continue;
            };
            let url = match each {
                true => url(operation).unwrap_or_else(|| of_path.clone()),
                false => own.clone(),
            };
            set(operation, &url);
        }
        set(item, &path_url);
    }
}

/// The variable of a URL: a known one, or one that is named after the host.
fn variable(url: &str, known: &mut Vec<(String, String)>, taken: &mut Taken) -> String {
    if let Some((name, _)) = known.iter().find(|(_, known)| known == url) {
        return name.clone();
    }
    let host = url.split("://").last().unwrap_or_default();
    let host = host
        .split(['/', '.', ':'])
        .find(|part| !part.is_empty())
        .unwrap_or("other");
    let name = taken.free(&format!("{}_url", snake_name(host)));
    known.push((name.clone(), url.to_owned()));
    name
}

fn server(name: &str, url: &str, description: &str) -> Value {
    json!([{
        "url": format!("{{{name}}}"),
        "variables": { name: { "default": url, "description": description } },
    }])
}

/// The URL of the first server of an object, with the defaults of its variables.
fn url(holder: &Value) -> Option<String> {
    let first = holder.get("servers")?.get(0)?;
    let mut url = first["url"].as_str()?.to_owned();
    for (name, variable) in first["variables"].as_object().into_iter().flatten() {
        url = url.replace(&format!("{{{name}}}"), variable["default"].as_str().unwrap_or_default());
    }
    Some(url.trim_end_matches('/').to_owned())
}
