//! `x-tag` of a file: the tag of its operations, webhooks and schemas.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::METHODS;
use super::location::{Location, join};
use crate::diagnostic::{Code, Diagnostic};

/// Sections whose parts have tags.
const PARTS: [&str; 3] = ["paths", "webhooks", "components"];

/// Gives the parts of a file that write no tag the tag of the file. Returns mistakes that leave the file readable.
pub(super) fn expand(
    value: &mut Value,
    locations: &mut HashMap<String, Location>,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let is_document = |root: &&mut Map<String, Value>| PARTS.iter().any(|part| root.contains_key(*part));
    // A file may also be one schema, which has a tag of its own.
    let root = value.as_object_mut().filter(is_document);
    let Some(tag) = root.and_then(|root| root.shift_remove("x-tag")) else {
        return Ok(Vec::new());
    };
    let mut file = FileTag {
        at: locations.get("/x-tag").cloned().unwrap_or_default(),
        locations,
        is_used: false,
        mistakes: Vec::new(),
    };
    if !tag.is_string() {
        let help = "write the name of one tag, such as `x-tag: users`";
        return Err(Diagnostic::new(
            Code::WrongKind,
            file.at.value,
            "`x-tag` of a file must be a string",
            help,
        ));
    }
    let tags = json!([tag]);
    for section in ["paths", "webhooks"] {
        for (path, item) in members(value, &[section]) {
            let at = join(&format!("/{section}"), path);
            for (method, operation) in item.as_object_mut().into_iter().flatten() {
                if let Some(operation) = operation.as_object_mut().filter(|_| METHODS.contains(&method.as_str())) {
                    file.give(operation, &join(&at, method), "tags", &tags, "operationId");
                }
            }
        }
    }
    for (name, schema) in members(value, &["components", "schemas"]) {
        if let Some(schema) = schema.as_object_mut() {
            let at = join("/components/schemas", name);
            file.give(schema, &at, "x-tag", &tag, "description");
        }
    }
    if !file.is_used {
        file.mistakes.push(Diagnostic::new(
            Code::DefaultUnused,
            file.at.key.unwrap_or_default(),
            "the tag of the file is added to nothing",
            "remove it, or the tags that the parts of the file write",
        ));
    }
    Ok(file.mistakes)
}

struct FileTag<'l> {
    at: Location,
    locations: &'l mut HashMap<String, Location>,
    /// True once a part has the tag.
    is_used: bool,
    mistakes: Vec<Diagnostic>,
}

impl FileTag<'_> {
    /// Adds a tag to a part, behind the key `after`.
    fn give(&mut self, part: &mut Map<String, Value>, at: &str, key: &str, tag: &Value, after: &str) {
        let at = join(at, key);
        if let Some(own) = part.get(key) {
            if own == tag {
                self.is_used = true;
                let span = self.locations.get(&at).and_then(|location| location.key.clone());
                let message = format!("`{key}` is the same as the tag of the file");
                let mistake = Diagnostic::new(
                    Code::DefaultRepeated,
                    span.unwrap_or_default(),
                    message,
                    "remove it: the tag of the file is added",
                );
                let file = self.at.key.clone().unwrap_or_default();
                self.mistakes.push(mistake.related(file, "the tag of the file"));
            }
            return;
        }
        self.is_used = true;
        let place = part.keys().position(|own| own == after).map_or(0, |place| place + 1);
        part.shift_insert(place, key.to_owned(), tag.clone());
        self.locations.insert(at, self.at.clone());
    }
}

/// The members of an object at a path of keys.
fn members<'v>(value: &'v mut Value, path: &[&str]) -> impl Iterator<Item = (&'v String, &'v mut Value)> {
    let found = path.iter().try_fold(value, |value, key| value.get_mut(*key));
    found.and_then(Value::as_object_mut).into_iter().flatten()
}
