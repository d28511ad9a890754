//! Responses: `schema` for each media type of `produces`.

use serde_json::{Map, Value, json};

use super::conversion::Conversion;
use crate::document::{essence, is_json};
use crate::source::join;

impl Conversion {
    pub(super) fn response(&mut self, members: &mut Map<String, Value>, produces: &[String], old: &str, new: &str) {
        members.shift_remove("examples");
        for (name, header) in members
            .get_mut("headers")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
        {
            let (old, new) = (join(&join(old, "headers"), name), join(&join(new, "headers"), name));
            if let Some(header) = header.as_object_mut() {
                self.header(header, &old, &new);
            }
        }
        let Some(schema) = members.shift_remove("schema") else {
            return;
        };
        let (old, new) = (join(old, "schema"), join(new, "content"));
        self.moved(&new, &old);
        let mut content = Map::new();
        for name in media_types(produces, &schema) {
            self.moved(&join(&join(&new, &name), "schema"), &old);
            content.insert(name, json!({ "schema": schema }));
        }
        members.insert("content".to_owned(), Value::Object(content));
    }
}

/// The media types of a response. Those that cannot hold its schema are of other responses of the operation.
fn media_types(produces: &[String], schema: &Value) -> Vec<String> {
    let is_file = schema["type"] == "file";
    let is_text = schema["type"] == "string";
    let holds = |name: &&String| {
        let essence = essence(name);
        let structured = is_json(&essence) || ["json", "xml", "yaml"].iter().any(|kind| essence.ends_with(kind));
        match is_file {
            true => !is_json(&essence),
            false => is_text || structured || essence.contains('*'),
        }
    };
    let types: Vec<_> = produces.iter().filter(holds).cloned().collect();
    match (types.is_empty(), is_file) {
        (true, true) => vec!["application/octet-stream".to_owned()],
        (true, false) => vec!["application/json".to_owned()],
        _ => types,
    }
}
