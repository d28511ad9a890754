//! Overlays (OpenAPI Overlay 1.0): files of changes to a document that its users cannot edit.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use serde_json::Value;
use serde_json_path::JsonPath;

use super::Source;
use super::location::{join, key_of, order};
use super::origin::Origin;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::suggest;

/// Keys of an overlay, and of an action.
const OVERLAY: [&str; 4] = ["overlay", "info", "extends", "actions"];
const ACTION: [&str; 4] = ["target", "description", "update", "remove"];

/// Applies overlays in their order, each a name and a text.
pub(super) fn apply<'a>(source: &mut Source<'a>, overlays: &[(&'a str, &'a str)]) -> Result<(), Diagnostics> {
    let mut mistakes = Vec::new();
    for (name, text) in overlays {
        match source.read(name, Cow::Borrowed(text)) {
            Ok(value) => {
                let file = source.files.list().len() - 1;
                let mut overlay = Overlay {
                    source: &mut *source,
                    file,
                    mistakes: Vec::new(),
                };
                overlay.apply(&value);
                mistakes.append(&mut overlay.mistakes);
            }
            Err(unread) => mistakes.extend(unread),
        }
    }
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Diagnostics::new(&source.files, mistakes))
}

struct Overlay<'o, 'a> {
    source: &'o mut Source<'a>,
    /// The number of its file.
    file: usize,
    mistakes: Vec<Diagnostic>,
}

impl Overlay<'_, '_> {
    fn apply(&mut self, value: &Value) {
        let version = value["overlay"].as_str().unwrap_or_default();
        if !version.starts_with("1.") {
            let help = "begin the file with `overlay: 1.0.0`";
            return self.mistake(
                Code::OverlayForm,
                "/overlay",
                "this is not an overlay of version 1",
                help,
            );
        }
        self.keys(value, "", &OVERLAY);
        let Some(actions) = value["actions"].as_array() else {
            let help = "list the changes under `actions`, each with a `target`";
            return self.mistake(
                Code::OverlayForm,
                "/actions",
                "the overlay has no list of `actions`",
                help,
            );
        };
        for (index, action) in actions.iter().enumerate() {
            self.action(action, &format!("/actions/{index}"));
        }
    }

    /// Applies one action to all parts that it selects.
    fn action(&mut self, action: &Value, at: &str) {
        self.keys(action, at, &ACTION);
        let target_at = join(at, "target");
        let Some(target) = action["target"].as_str() else {
            let help = "write a JSONPath, such as `target: $.paths['/things'].get`";
            return self.mistake(Code::OverlayForm, &target_at, "an action has no `target`", help);
        };
        let path = match JsonPath::parse(target) {
            Ok(path) => path,
            Err(error) => {
                let message = format!("`{target}` is not a JSONPath: {error}");
                let help = "write one of RFC 9535, such as `$.paths['/things'].get`";
                return self.mistake(Code::OverlayTarget, &target_at, &message, help);
            }
        };
        let located = path.query_located(&self.source.value);
        let mut pointers: Vec<_> = located.locations().map(|location| location.to_json_pointer()).collect();
        let mut known = HashSet::new();
        pointers.retain(|pointer| known.insert(pointer.clone()));
        if pointers.is_empty() {
            let message = format!("`{target}` selects nothing in the document");
            let help = "correct it, or remove the action if the document has changed";
            return self.mistake(Code::OverlayTarget, &target_at, &message, help);
        }
        let removes = action["remove"] == true;
        match (removes, action.get("update")) {
            (true, _) => {
                // From the end, so that a removal does not move later parts.
                pointers.sort_by_cached_key(|pointer| Reverse(order(pointer)));
                for pointer in pointers {
                    self.source.remove(&pointer);
                }
            }
            (false, Some(update)) => {
                let update_at = join(at, "update");
                for pointer in pointers {
                    self.update(&pointer, update, &update_at);
                }
            }
            (false, None) => {
                let help = "add `update` with members to merge, or `remove: true`";
                self.mistake(Code::OverlayForm, at, "an action changes nothing", help);
            }
        }
    }

    /// Merges a value with a selected part: members with those of an object, an item with those of a list.
    fn update(&mut self, pointer: &str, update: &Value, at: &str) {
        match (self.source.value.pointer(pointer), update) {
            (Some(Value::Object(_)), Value::Object(_)) => self.merge(pointer, update, at),
            (Some(Value::Array(items)), _) => {
                let index = items.len();
                self.append(pointer, index, update, at);
            }
            (Some(Value::Object(_)), _) => {
                let message = "the target is an object, so `update` must be one";
                self.mistake(Code::OverlayForm, at, message, "write the members to merge");
            }
            _ => {
                let message = "the target is neither an object nor a list";
                let help = "select the object around it, and write the member under `update`";
                self.mistake(Code::OverlayForm, at, message, help);
            }
        }
    }

    /// Merges at any depth: objects with objects, lists by appending; other values are replaced.
    fn merge(&mut self, pointer: &str, update: &Value, at: &str) {
        match (self.source.value.pointer(pointer), update) {
            (Some(Value::Object(_)), Value::Object(members)) => {
                for (key, value) in members {
                    self.merge(&join(pointer, key), value, &join(at, key));
                }
            }
            (Some(Value::Array(known)), Value::Array(items)) => {
                let first = known.len();
                for (index, item) in items.iter().enumerate() {
                    self.append(pointer, first + index, item, &format!("{at}/{index}"));
                }
            }
            _ => {
                let (parent, _) = pointer.rsplit_once('/').unwrap_or_default();
                let key = key_of(&pointer[parent.len() + 1..]);
                if let Some(Value::Object(members)) = self.source.value.pointer_mut(parent) {
                    if members.insert(key, update.clone()).is_some() {
                        let inside = format!("{pointer}/");
                        self.source.origins.retain(|part, _| !part.starts_with(&inside));
                    }
                    self.moved(pointer, at);
                }
            }
        }
    }

    fn append(&mut self, pointer: &str, index: usize, item: &Value, at: &str) {
        if let Some(Value::Array(items)) = self.source.value.pointer_mut(pointer) {
            items.push(item.clone());
            self.moved(&format!("{pointer}/{index}"), at);
        }
    }

    /// Records that a part of the document is one of the overlay.
    fn moved(&mut self, pointer: &str, at: &str) {
        let origin = self.origin(at);
        self.source.moved(pointer.to_owned(), origin);
    }

    fn origin(&self, at: &str) -> Origin {
        Origin {
            file: self.file,
            pointer: at.to_owned(),
        }
    }

    /// Rejects unknown keys.
    fn keys(&mut self, value: &Value, at: &str, known: &[&str]) {
        let keys = value.as_object().into_iter().flat_map(|members| members.keys());
        let unknown = keys.filter(|key| !known.contains(&key.as_str()) && !key.starts_with("x-"));
        for key in unknown {
            let span = self.source.span_of(&self.origin(&join(at, key)));
            let message = format!("`{key}` is not a key of an overlay");
            let help = suggest::advice(key, known.iter().copied());
            self.mistakes
                .push(Diagnostic::new(Code::OverlayForm, span, message, help));
        }
    }

    fn mistake(&mut self, code: Code, at: &str, message: &str, help: &str) {
        let span = self.source.value_span_of(&self.origin(at));
        self.mistakes.push(Diagnostic::new(code, span, message, help));
    }
}
