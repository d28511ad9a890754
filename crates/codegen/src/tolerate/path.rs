//! The parts on the way from the root of a document to a pointer.

use serde_json::Value;

use crate::source::{Part, join, key_of};

/// A part on the way, the last one with the pointer itself, which may be absent.
pub(super) struct Step<'r> {
    pub(super) part: Part,
    pub(super) key: String,
    pub(super) at: String,
    pub(super) value: &'r Value,
}

/// The parts on the way to a pointer, from the root.
pub(super) fn steps<'r>(root: &'r Value, pointer: &str) -> Vec<Step<'r>> {
    let mut all = vec![Step {
        part: Part::Document,
        key: String::new(),
        at: String::new(),
        value: root,
    }];
    for step in pointer.split('/').skip(1) {
        let Some(last) = all.last() else { break };
        let key = key_of(step);
        let value = match last.value {
            Value::Array(items) => key.parse::<usize>().ok().and_then(|index| items.get(index)),
            value => value.get(&key),
        };
        all.push(Step {
            part: last.part.member(&key),
            at: join(&last.at, &key),
            key,
            value: value.unwrap_or(&Value::Null),
        });
    }
    all
}

/// Maximum number of parts of `allOf`, and references in them, on the way.
const DEPTH: usize = 16;

/// The pointer of a part that a merged schema has from a part of its `allOf`: the pointer in that part.
pub(super) fn unmerged(root: &Value, pointer: &str) -> String {
    let steps: Vec<_> = pointer.split('/').skip(1).collect();
    found(root, root, String::new(), &steps, 0).unwrap_or_else(|| pointer.to_owned())
}

fn found(root: &Value, value: &Value, at: String, steps: &[&str], depth: usize) -> Option<String> {
    let [step, rest @ ..] = steps else { return Some(at) };
    if depth > DEPTH {
        return None;
    }
    if let Some(inner) = value.pointer(&format!("/{step}"))
        && let Some(pointer) = found(root, inner, format!("{at}/{step}"), rest, depth)
    {
        return Some(pointer);
    }
    let parts = value["allOf"].as_array().into_iter().flatten().enumerate();
    parts.into_iter().find_map(|(index, part)| {
        let target = part["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        match target.and_then(|target| Some((root.pointer(target)?, target))) {
            Some((part, target)) => found(root, part, target.to_owned(), steps, depth + 1),
            None => found(root, part, format!("{at}/allOf/{index}"), steps, depth + 1),
        }
    })
}
