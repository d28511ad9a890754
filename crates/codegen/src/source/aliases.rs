//! Aliases and merge keys of YAML, which copy the values of anchors.

use std::ops::Range;

use serde_json::{Map, Value};

use super::anchors::MAX_COPIED_VALUES;
use super::depth::{MAX_DEPTH, too_deep};
use super::location::{Location, join};
use super::yaml::Loader;
use crate::diagnostic::{Code, Diagnostic};

impl Loader<'_> {
    /// The value of an alias.
    pub(super) fn alias(&mut self, id: usize, pointer: &str, location: &Range<usize>) -> Result<Value, Diagnostic> {
        let anchors = &mut self.anchors;
        if anchors.copied > MAX_COPIED_VALUES {
            return Err(too_many(location));
        }
        let Some(anchored) = anchors.anchored.get(&id) else {
            self.reject(
                location,
                "an alias inside of its own anchor".to_owned(),
                "write the value out: it would contain itself",
            );
            return Ok(Value::Null);
        };
        anchors.copied += anchored.values;
        if anchors.copied > MAX_COPIED_VALUES {
            return Err(too_many(location));
        }
        if self.depth + anchored.depth > MAX_DEPTH {
            return Err(too_deep(location.clone()));
        }
        anchors.copies.insert(pointer.to_owned(), anchored.pointer.clone());
        Ok(anchored.value.clone())
    }

    /// Rejects an alias without an anchor.
    pub(super) fn no_anchor(&mut self, name: &str, location: &Range<usize>) -> Value {
        let message = format!("no anchor `&{name}` comes before this alias");
        self.reject(
            location,
            message,
            "write the anchor before the first value that should be copied",
        );
        Value::Null
    }

    fn reject(&mut self, location: &Range<usize>, message: String, help: &str) {
        self.mistakes
            .push(Diagnostic::new(Code::Alias, location.clone(), message, help));
    }

    /// Adds the members of a merge key (`<<`): those that the object has already, or will have, are kept.
    pub(super) fn merge(
        &mut self,
        value: Value,
        members: &mut Map<String, Value>,
        pointer: &str,
        location: &Range<usize>,
    ) {
        let from = join(pointer, "<<");
        let sources = match value {
            Value::Object(source) => vec![(source, from)],
            Value::Array(items) if items.iter().all(Value::is_object) => items
                .into_iter()
                .enumerate()
                .filter_map(|(index, item)| match item {
                    Value::Object(source) => Some((source, format!("{from}/{index}"))),
                    _ => None,
                })
                .collect(),
            _ => {
                let message = "a merge key must have an object, or a list of objects";
                let help = "write an alias of an object, such as `<<: *common`";
                self.mistakes
                    .push(Diagnostic::new(Code::MergeKey, location.clone(), message, help));
                return;
            }
        };
        for (source, from) in sources {
            let shown = self.locations.get(&from).map(|at| at.value.clone());
            for (key, value) in source {
                if members.contains_key(&key) {
                    continue;
                }
                let (at, was) = (join(pointer, &key), join(&from, &key));
                let span = shown.clone().unwrap_or_else(|| location.clone());
                let place = Location {
                    key: Some(span.clone()),
                    value: span,
                };
                self.locations.insert(at.clone(), place);
                let anchor = self.anchors.copies.get(&from);
                let anchor = anchor.map_or(was, |anchor| join(anchor, &key));
                self.anchors.copies.insert(at.clone(), anchor);
                self.anchors.merged.insert(at);
                members.insert(key, value);
            }
        }
    }
}

fn too_many(location: &Range<usize>) -> Diagnostic {
    Diagnostic::new(
        Code::AliasExpansion,
        location.clone(),
        format!("the aliases of this file copy more than {MAX_COPIED_VALUES} values"),
        "name the value in `components`, and refer to it by `$ref`",
    )
}
