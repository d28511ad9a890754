//! The parts on the way from the root of a document to a pointer.

use serde_json::Value;

use crate::source::{Part, join};

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
        let key = step.replace("~1", "/").replace("~0", "~");
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
