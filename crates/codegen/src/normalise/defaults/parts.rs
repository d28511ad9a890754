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

    /// Returns the values that the operation has for a key of a condition.
    pub(super) fn values(&self, key: &str) -> Vec<&str> {
        let of_parameters = |key: &'static str| self.parameters().filter_map(move |parameter| parameter[key].as_str());
        match key {
            "methods" => vec![self.method.as_str()],
            "parameters" => of_parameters("name").collect(),
            "in" => of_parameters("in").collect(),
            "request" => media_types(self.resolve(&self.operation["requestBody"])).collect(),
            "response" => {
                let responses = self.operation["responses"].as_object().into_iter().flatten();
                let successes = responses.filter(|(status, _)| status.starts_with('2'));
                successes
                    .flat_map(|(_, response)| media_types(self.resolve(response)))
                    .collect()
            }
            "deprecated" if self.operation["deprecated"] == true => vec!["true"],
            "deprecated" => vec!["false"],
            _ => Vec::new(),
        }
    }

    /// Returns whether it has a header parameter of a name.
    pub(super) fn has_header(&self, name: &str) -> bool {
        let header = json!({ "name": name, "in": "header" });
        self.parameters().any(|parameter| is_same_parameter(parameter, &header))
    }

    /// Adds a parameter, unless the operation or its path has one of that name.
    pub(super) fn parameter(&mut self, parameter: &Value, from: String) {
        let resolved = self.resolve(parameter);
        let mut own = self.operation["parameters"].as_array().into_iter().flatten();
        if let Some(index) = own.position(|own| own == parameter) {
            let at = format!("{}/parameters/{index}", self.pointer);
            return self.log.repeated(&at, from);
        }
        if self.parameters().any(|other| is_same_parameter(other, resolved)) {
            return;
        }
        let Some(list) = member(self.operation, &OPERATION, "parameters", || json!([])).as_array_mut() else {
            return;
        };
        self.log
            .add(format!("{}/parameters/{}", self.pointer, list.len()), from);
        list.push(parameter.clone());
    }

    /// Adds a description to successes without one.
    pub(super) fn description(&mut self, description: &Value, from: &str) {
        let at = join(&self.pointer, "responses");
        for (status, response) in own_responses(self.operation).filter(|(status, _)| status.starts_with('2')) {
            let at = join(&join(&at, status), "description");
            match response.get("description") {
                Some(own) if own == description => self.log.repeated(&at, from.to_owned()),
                Some(_) => {}
                None => {
                    member(response, &RESPONSE, "description", || description.clone());
                    self.log.add(at, from.to_owned());
                }
            }
        }
    }

    /// Adds headers to the responses that the operation has, but for references.
    pub(super) fn headers(&mut self, headers: &Map<String, Value>, from: &str, of: impl Fn(&str) -> bool) {
        let at = join(&self.pointer, "responses");
        for (status, response) in own_responses(self.operation).filter(|(status, _)| of(status)) {
            add_headers(response, &join(&at, status), headers, from, self.log);
        }
    }

    /// Adds responses of the statuses that the operation does not have. Each goes behind those of lower statuses, and
    /// those before it in its rule.
    pub(super) fn responses(&mut self, responses: &Map<String, Value>, from: &str) {
        let at = join(&self.pointer, "responses");
        let Some(all) = member(self.operation, &OPERATION, "responses", || json!({})).as_object_mut() else {
            return;
        };
        for (index, (status, response)) in responses.iter().enumerate() {
            let (at, from) = (join(&at, status), join(from, status));
            if let Some(own) = all.get(status) {
                if own == response {
                    self.log.repeated(&at, from);
                }
                continue;
            }
            let is_before = |other: &String| other < status || responses.keys().take(index).any(|first| first == other);
            let place = all.keys().rposition(is_before).map_or(0, |last| last + 1);
            all.shift_insert(place, status.clone(), response.clone());
            self.log.add(at, from);
        }
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
pub(super) fn add_headers(response: &mut Value, at: &str, headers: &Map<String, Value>, from: &str, log: &mut Log) {
    if !response.is_object() || response.get("$ref").is_some() {
        return;
    }
    let Some(all) = member(response, &RESPONSE, "headers", || json!({})).as_object_mut() else {
        return;
    };
    let at = join(at, "headers");
    for (name, header) in headers {
        let from = join(from, name);
        match all.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
            Some((own, value)) if value == header => log.repeated(&join(&at, own), from),
            Some(_) => {}
            None => {
                all.insert(name.clone(), header.clone());
                log.add(join(&at, name), from);
            }
        }
    }
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

/// The media types of a body without their parameters, and `*/*` if there are any.
fn media_types(body: &Value) -> impl Iterator<Item = &str> {
    let content = body["content"].as_object().filter(|content| !content.is_empty());
    let own = content.into_iter().flat_map(|content| content.keys());
    let own = own.map(|name| name.split(';').next().unwrap_or_default().trim());
    content.map(|_| "*/*").into_iter().chain(own)
}

/// Returns whether two parameters have the same place and name. Names of headers have no case.
fn is_same_parameter(one: &Value, other: &Value) -> bool {
    let [Some(name), Some(other_name)] = [one, other].map(|parameter| parameter["name"].as_str()) else {
        return false;
    };
    let has_same_name = name == other_name || one["in"] == "header" && name.eq_ignore_ascii_case(other_name);
    has_same_name && one["in"] == other["in"]
}
