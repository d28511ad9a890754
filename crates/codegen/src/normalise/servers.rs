//! Servers of third-party documents: each list is one variable, whose default is the first URL.

use serde_json::{Value, json};

use super::names::{Taken, snake_name};
use crate::source::METHODS;

/// Rewrites the servers of the document and of its paths. Servers of operations move to their path if all have the same.
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
        let [wanted] = urls.as_slice() else { continue };
        let wanted = wanted.clone();
        for method in METHODS {
            if let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) {
                operation.shift_remove("servers");
            }
        }
        if wanted == own {
            item.as_object_mut().and_then(|item| item.shift_remove("servers"));
            continue;
        }
        let known = variables
            .iter()
            .find(|(_, url)| *url == wanted)
            .map(|(name, _)| name.clone());
        let name = known.unwrap_or_else(|| {
            let host = wanted.split("://").last().unwrap_or_default();
            let host = host
                .split(['/', '.', ':'])
                .find(|part| !part.is_empty())
                .unwrap_or("other");
            let name = taken.free(&format!("{}_url", snake_name(host)));
            variables.push((name.clone(), wanted.clone()));
            name
        });
        item["servers"] = server(&name, &wanted, "The URL of some operations.");
    }
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
