//! A rule of the defaults: a condition, and the parts that it adds.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::condition::Condition;
use super::log::{DEFAULTS, Log};
use super::parts::{self, Parts};
use crate::source::join;

/// A rule.
pub(super) struct Rule<'d> {
    pointer: String,
    value: &'d Value,
    when: Option<Condition<'d>>,
    unless: Option<Condition<'d>>,
}

impl<'d> Rule<'d> {
    /// The rules of a section, in their order.
    pub(super) fn list(defaults: &'d Value, section: &str) -> Vec<Self> {
        let rules = defaults[section].as_array().into_iter().flatten().enumerate();
        let rules = rules.map(|(index, value)| {
            let pointer = format!("/{DEFAULTS}/{section}/{index}");
            let condition = |key| Some(Condition::new(value.get(key)?, &join(&pointer, key)));
            Self {
                when: condition("when"),
                unless: condition("unless"),
                pointer,
                value,
            }
        });
        rules.collect()
    }

    /// Adds its parts to an operation, if its condition holds.
    pub(super) fn apply(&mut self, parts: &mut Parts<'_>) {
        // Both conditions see every operation.
        let when = self.when.as_mut().is_none_or(|when| when.holds(parts));
        let unless = self.unless.as_mut().is_some_and(|unless| unless.holds(parts));
        if !when || unless {
            return;
        }
        let at = join(&self.pointer, "parameters");
        for (index, parameter) in self.parameters().enumerate() {
            parts.parameter(parameter, format!("{at}/{index}"));
        }
        let successes = &self.value["successes"];
        let at = join(&self.pointer, "successes");
        if let Some(description) = successes.get("description") {
            parts.description(description, &join(&at, "description"));
        }
        if let Some(headers) = successes["headers"].as_object() {
            parts.headers(headers, &join(&at, "headers"), |status| status.starts_with('2'));
        }
        if let Some(responses) = self.value["responses"].as_object() {
            parts.responses(responses, &join(&self.pointer, "responses"));
        }
        if let Some(headers) = self.headers() {
            parts.headers(headers, &join(&self.pointer, "headers"), |_| true);
        }
    }

    /// Adds the headers of every response to those that operations share.
    pub(super) fn apply_to_components(&self, components: &mut Value, log: &mut Log) {
        let Some(headers) = self.headers().filter(|_| self.when.is_none() && self.unless.is_none()) else {
            return;
        };
        let from = join(&self.pointer, "headers");
        let responses = components.get_mut("responses").and_then(Value::as_object_mut);
        for (name, response) in responses.into_iter().flatten() {
            let at = join("/components/responses", name);
            parts::add_headers(response, &at, headers, &from, log);
        }
    }

    /// Reports what has no effect: values of its conditions, its parts, or all of it.
    pub(super) fn report(&self, used: &HashSet<String>, (of, to): (&str, &str), log: &mut Log) {
        for condition in [&self.when, &self.unless].into_iter().flatten() {
            condition.report(of, log);
        }
        let (used, unused): (Vec<_>, Vec<_>) = self.parts().into_iter().partition(|part| used.contains(part));
        if used.is_empty() {
            return log.unused(&self.pointer, &self.pointer, to);
        }
        for part in unused {
            log.unused(&part, &self.pointer, to);
        }
    }

    /// Pointers of the parts that it adds.
    fn parts(&self) -> Vec<String> {
        let at = join(&self.pointer, "parameters");
        let parameters = self.parameters().enumerate();
        let mut parts: Vec<_> = parameters.map(|(index, _)| format!("{at}/{index}")).collect();
        let successes = &self.value["successes"];
        if successes.get("description").is_some() {
            parts.push(format!("{}/successes/description", self.pointer));
        }
        let maps = [
            ("successes/headers", &successes["headers"]),
            ("responses", &self.value["responses"]),
            ("headers", &self.value["headers"]),
        ];
        for (key, map) in maps {
            let at = format!("{}/{key}", self.pointer);
            let keys = map.as_object().into_iter().flat_map(Map::keys);
            parts.extend(keys.map(|name| join(&at, name)));
        }
        parts
    }

    fn parameters(&self) -> impl Iterator<Item = &'d Value> + use<'d> {
        self.value["parameters"].as_array().into_iter().flatten()
    }

    fn headers(&self) -> Option<&'d Map<String, Value>> {
        self.value["headers"].as_object()
    }
}
