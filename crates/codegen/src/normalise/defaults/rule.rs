//! A rule of the defaults: a condition, and the parts that it adds.

use serde_json::{Map, Value};

use super::log::{DEFAULTS, Log};
use super::parts::{self, Parts};
use crate::source::join;

/// A rule.
pub(super) struct Rule<'d> {
    pub(super) pointer: String,
    value: &'d Value,
    /// True once it has added a part.
    pub(super) adds: bool,
}

impl<'d> Rule<'d> {
    /// The rules of a section, in their order.
    pub(super) fn list(defaults: &'d Value, section: &str) -> Vec<Self> {
        let rules = defaults[section].as_array().into_iter().flatten().enumerate();
        let rules = rules.map(|(index, value)| Self {
            pointer: format!("/{DEFAULTS}/{section}/{index}"),
            value,
            adds: false,
        });
        rules.collect()
    }

    /// Adds its parts to an operation, if its condition holds.
    pub(super) fn apply(&mut self, parts: &mut Parts<'_>) {
        let holds = |condition: &Value| parts.meets(condition);
        if self.value.get("when").is_some_and(|when| !holds(when)) || self.value.get("unless").is_some_and(holds) {
            return;
        }
        let at = join(&self.pointer, "parameters");
        for (index, parameter) in self.value["parameters"].as_array().into_iter().flatten().enumerate() {
            self.adds |= parts.parameter(parameter, &format!("{at}/{index}"));
        }
        let successes = &self.value["successes"];
        let at = join(&self.pointer, "successes");
        if let Some(description) = successes.get("description") {
            self.adds |= parts.description(description, &join(&at, "description"));
        }
        if let Some(headers) = successes["headers"].as_object() {
            self.adds |= parts.headers(headers, &join(&at, "headers"), |status| status.starts_with('2'));
        }
        if let Some(responses) = self.value["responses"].as_object() {
            self.adds |= parts.responses(responses, &join(&self.pointer, "responses"));
        }
        if let Some(headers) = self.headers() {
            self.adds |= parts.headers(headers, &join(&self.pointer, "headers"), |_| true);
        }
    }

    /// Adds the headers of every response to those that operations share.
    pub(super) fn apply_to_components(&mut self, components: &mut Value, log: &mut Log) {
        let is_general = self.value.get("when").is_none() && self.value.get("unless").is_none();
        let Some(headers) = self.headers().filter(|_| is_general) else {
            return;
        };
        let from = join(&self.pointer, "headers");
        let responses = components.get_mut("responses").and_then(Value::as_object_mut);
        for (name, response) in responses.into_iter().flatten() {
            let at = join("/components/responses", name);
            self.adds |= parts::add_headers(response, &at, headers, &from, log);
        }
    }

    fn headers(&self) -> Option<&'d Map<String, Value>> {
        self.value["headers"].as_object()
    }
}
