//! Removal of parts.

use serde_json::Value;

use super::Source;
use super::location::key_of;

impl Source<'_> {
    /// Removes the value at a pointer; returns whether there was one. In a list, the others move up.
    pub(crate) fn remove(&mut self, pointer: &str) -> bool {
        let Some((parent, step)) = pointer.rsplit_once('/') else {
            return false;
        };
        let key = key_of(step);
        match self.value.pointer_mut(parent) {
            Some(Value::Object(members)) => members.shift_remove(&key).is_some(),
            Some(Value::Array(items)) => match key.parse::<usize>() {
                Ok(index) if index < items.len() => {
                    items.remove(index);
                    let place = |index: usize| format!("{parent}/{index}");
                    let rest = index..items.len();
                    let origins: Vec<_> = rest.clone().map(|index| self.origin(&place(index + 1))).collect();
                    for (index, origin) in rest.zip(origins) {
                        self.moved(place(index), origin);
                    }
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }
}
