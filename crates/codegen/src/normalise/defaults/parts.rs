//! An operation while rules add parts to it.

use serde_json::{Map, Value, json};

use super::log::Log;
use crate::source::join;

/// Keys in the order in which they are written: an added one goes before those that follow it here.
const OPERATION: [&str; 3] = ["parameters", "requestBody", "responses"];
const RESPONSE: [&str; 3] = ["description", "headers", "content"];

/// An operation, with what its rules need to know.
pub(super) struct Parts<'o> {
    components: &'o Value,
    /// Parameters of the path.
    shared: Value,
    pointer: String,
    method: String,
    operation: &'o mut Value,
    log: &'o mut Log,
}

impl<'o> Parts<'o> {
    pub(super) fn new(
        components: &'o Value,
        shared: Value,
        pointer: String,
        method: String,
        operation: &'o mut Value,
        log: &'o mut Log,
    ) -> Self {
        Self {
            components,
            shared,
            pointer,
            method,
            operation,
            log,
        }
    }

    /// Returns whether a condition holds: all of its keys, of which a list holds if one of its items does.
    pub(super) fn meets(&self, condition: &Value) -> bool {
        condition.as_object().into_iter().flatten().all(|(key, expected)| {
            // Other values and keys are rejected by the check.
            let any = |holds: &dyn Fn(&str) -> bool| {
                let items = expected.as_array();
                items.is_none_or(|items| items.iter().filter_map(Value::as_str).any(holds))
            };
            match key.as_str() {
                "methods" => any(&|method| method == self.method),
                "parameters" => any(&|name| self.parameters().any(|parameter| parameter["name"] == name)),
                "in" => any(&|place| self.parameters().any(|parameter| parameter["in"] == place)),
                "request" => any(&|wanted| has_media_type(self.resolve(&self.operation["requestBody"]), wanted)),
                "response" => any(&|wanted| {
                    let responses = self.operation["responses"].as_object().into_iter().flatten();
                    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
                    successes.any(|(_, response)| has_media_type(self.resolve(response), wanted))
                }),
                "deprecated" => self.operation["deprecated"].as_bool().unwrap_or_default() == *expected,
                _ => true,
            }
        })
    }

    /// Adds a parameter, unless the operation or its path has one of that name.
    pub(super) fn parameter(&mut self, parameter: &Value, from: &str) -> bool {
        let resolved = self.resolve(parameter);
        let is_same = |other: &Value| other["name"] == resolved["name"] && other["in"] == resolved["in"];
        if !resolved.is_null() && self.parameters().any(is_same) {
            let own = self.operation["parameters"].as_array().into_iter().flatten();
            if let Some(index) = own.into_iter().position(|own| own == parameter) {
                self.log.repeated(&format!("{}/parameters/{index}", self.pointer), from);
            }
            return false;
        }
        let Some(list) = member(self.operation, &OPERATION, "parameters", || json!([])).as_array_mut() else {
            return false;
        };
        self.log
            .add(format!("{}/parameters/{}", self.pointer, list.len()), from.to_owned());
        list.push(parameter.clone());
        true
    }

    /// Adds a description to successes without one.
    pub(super) fn description(&mut self, description: &Value, from: &str) -> bool {
        let at = join(&self.pointer, "responses");
        let mut adds = false;
        for (status, response) in own_responses(self.operation).filter(|(status, _)| status.starts_with('2')) {
            let at = join(&join(&at, status), "description");
            match response.get("description") {
                Some(own) if own == description => self.log.repeated(&at, from),
                Some(_) => {}
                None => {
                    member(response, &RESPONSE, "description", || description.clone());
                    self.log.add(at, from.to_owned());
                    adds = true;
                }
            }
        }
        adds
    }

    /// Adds headers to the responses that the operation has, but for references.
    pub(super) fn headers(&mut self, headers: &Map<String, Value>, from: &str, of: impl Fn(&str) -> bool) -> bool {
        let at = join(&self.pointer, "responses");
        let mut adds = false;
        for (status, response) in own_responses(self.operation).filter(|(status, _)| of(status)) {
            adds |= add_headers(response, &join(&at, status), headers, from, self.log);
        }
        adds
    }

    /// Adds responses of the statuses that the operation does not have. Each goes behind those of lower statuses, and
    /// those before it in its rule.
    pub(super) fn responses(&mut self, responses: &Map<String, Value>, from: &str) -> bool {
        let at = join(&self.pointer, "responses");
        let mut adds = false;
        let Some(all) = member(self.operation, &OPERATION, "responses", || json!({})).as_object_mut() else {
            return false;
        };
        for (index, (status, response)) in responses.iter().enumerate() {
            let (at, from) = (join(&at, status), join(from, status));
            if let Some(own) = all.get(status) {
                if own == response {
                    self.log.repeated(&at, &from);
                }
                continue;
            }
            let is_before = |other: &String| other < status || responses.keys().take(index).any(|first| first == other);
            let place = all.keys().rposition(is_before).map_or(0, |last| last + 1);
            all.shift_insert(place, status.clone(), response.clone());
            self.log.add(at, from);
            adds = true;
        }
        adds
    }

    /// The parameters of the operation and of its path, without references.
    fn parameters(&self) -> impl Iterator<Item = &Value> {
        let own = self.operation["parameters"].as_array().into_iter().flatten();
        let shared = self.shared.as_array().into_iter().flatten();
        own.chain(shared).map(|parameter| self.resolve(parameter))
    }

    /// The component that a reference names, or the part itself.
    fn resolve<'v>(&'v self, part: &'v Value) -> &'v Value {
        let Some(target) = part["$ref"].as_str() else {
            return part;
        };
        let component = target
            .strip_prefix("#/components")
            .and_then(|at| self.components.pointer(at));
        component.unwrap_or(&Value::Null)
    }
}

/// Adds headers to a response, unless it is a reference or has them.
pub(super) fn add_headers(
    response: &mut Value,
    at: &str,
    headers: &Map<String, Value>,
    from: &str,
    log: &mut Log,
) -> bool {
    if !response.is_object() || response.get("$ref").is_some() {
        return false;
    }
    let Some(all) = member(response, &RESPONSE, "headers", || json!({})).as_object_mut() else {
        return false;
    };
    let at = join(at, "headers");
    let mut adds = false;
    for (name, header) in headers {
        let (at, from) = (join(&at, name), join(from, name));
        match all.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            Some((_, own)) if own == header => log.repeated(&at, &from),
            Some(_) => {}
            None => {
                all.insert(name.clone(), header.clone());
                log.add(at, from);
                adds = true;
            }
        }
    }
    adds
}

/// The responses that an operation writes in place.
fn own_responses(operation: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    responses
        .into_iter()
        .flatten()
        .filter(|(_, response)| response.is_object() && response.get("$ref").is_none())
}

/// A member of an object, which is added in its place in `order` if it is missing.
fn member<'v>(value: &'v mut Value, order: &[&str], key: &str, make: impl FnOnce() -> Value) -> &'v mut Value {
    if let Value::Object(members) = value
        && !members.contains_key(key)
    {
        let after = order.iter().skip_while(|known| **known != key).skip(1);
        let place = after
            .filter_map(|next| members.keys().position(|own| own == next))
            .min();
        members.shift_insert(place.unwrap_or(members.len()), key.to_owned(), make());
    }
    &mut value[key]
}

/// Returns whether a body has a media type: `*/*` is any.
fn has_media_type(body: &Value, wanted: &str) -> bool {
    let mut types = body["content"]
        .as_object()
        .into_iter()
        .flat_map(|content| content.keys());
    types.any(|own| wanted == "*/*" || own == wanted)
}
