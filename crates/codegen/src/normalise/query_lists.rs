//! Lists of third-party documents with `style: deepObject`, which OpenAPI does not define: each item is sent as `name[]`.

use serde_json::{Value, json};

use crate::Code;
use crate::source::{Part, Source, join, walk};

/// Renames the parameters of such lists.
pub(super) fn rename(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let mut renamed = Vec::new();
    let schemas = root["components"]["schemas"].clone();
    walk(Part::Document, &mut root, &mut |part, parameter| {
        if part != Part::Parameter || parameter.get("style").is_none_or(|style| style != "deepObject") {
            return;
        }
        let Some(schema) = parameter.get("schema") else { return };
        let name = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        let schema = name.map_or(schema, |name| &schemas[name]);
        if schema["type"] != "array" && schema["type"][0] != "array" {
            return;
        }
        parameter.shift_remove("style");
        parameter.shift_remove("explode");
        if let Some(name) = parameter
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.ends_with("[]"))
        {
            let name = format!("{name}[]");
            renamed.push(name.clone());
            parameter.insert("name".to_owned(), json!(name));
        }
    });
    source.value = root;
    notes(source, &renamed);
}

/// Notes each renamed parameter where it is declared.
fn notes(source: &mut Source<'_>, renamed: &[String]) {
    let mut lists = vec!["/components/parameters".to_owned()];
    for (path, item) in source.value["paths"].as_object().into_iter().flatten() {
        let at = join("/paths", path);
        let members = item
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, _)| format!("{}/parameters", join(&at, key)));
        lists.extend(members.collect::<Vec<_>>());
        lists.push(format!("{at}/parameters"));
    }
    for list in lists {
        let declared: Vec<(String, Value)> = match source.value.pointer(&list) {
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| (format!("{list}/{index}"), item["name"].clone()))
                .collect(),
            Some(Value::Object(items)) => items
                .iter()
                .map(|(key, item)| (join(&list, key), item["name"].clone()))
                .collect(),
            _ => continue,
        };
        for (at, name) in declared {
            if let Some(name) = name.as_str().filter(|name| renamed.iter().any(|known| known == name)) {
                let message = format!("a list with `style: deepObject` is sent as `{name}` for each item");
                source.note(Code::ParameterStyle, &join(&at, "style"), message, "it is kept");
            }
        }
    }
}
