//! Lists of third-party documents with `style: deepObject`, which OpenAPI does not define: each item is sent as `name[]`.

use serde_json::{Value, json};

use crate::Code;
use crate::source::{Part, Source, join, walk_at};

/// Renames the parameters of such lists.
pub(super) fn rename(source: &mut Source<'_>) {
    let mut root = std::mem::take(&mut source.value);
    let mut renamed = Vec::new();
    let schemas = root["components"]["schemas"].clone();
    walk_at(Part::Document, "", &mut root, &mut |part, at, parameter| {
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
            renamed.push((at.to_owned(), name.clone()));
            parameter.insert("name".to_owned(), json!(name));
        }
    });
    source.value = root;
    for (at, name) in renamed {
        let message = format!("a list with `style: deepObject` is sent as `{name}` for each item");
        source.note(Code::ParameterStyle, &join(&at, "style"), message, "it is kept");
    }
}
