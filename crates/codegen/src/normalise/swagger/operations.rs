//! Operations: parameters apart from bodies, and media types.

use serde_json::{Map, Value};

use super::bodies::{Part, is_body};
use super::conversion::Conversion;
use super::texts::texts;
use crate::source::{METHODS, join};

impl Conversion {
    pub(super) fn paths(&mut self, paths: &mut Map<String, Value>) {
        for (path, item) in paths {
            let Some(item) = item.as_object_mut() else { continue };
            let at = join("/paths", path);
            let shared = self.parameters(item, &at);
            for (method, operation) in item {
                if METHODS.contains(&method.as_str())
                    && let Some(operation) = operation.as_object_mut()
                {
                    self.operation(operation, &shared, &join(&at, method));
                }
            }
        }
    }

    fn operation(&mut self, operation: &mut Map<String, Value>, shared: &[Part], at: &str) {
        let consumes = texts(operation.shift_remove("consumes")).unwrap_or_else(|| self.consumes.clone());
        let own = texts(operation.shift_remove("produces"));
        let schemes = texts(operation.shift_remove("schemes")).unwrap_or_default();
        if let Some(servers) = self.server.of_operation(&schemes) {
            operation.insert("servers".to_owned(), servers);
        }
        let mut parts = self.parameters(operation, at);
        let inherited = shared
            .iter()
            .filter(|part| !parts.iter().any(|own| own.overrides(part)));
        let inherited: Vec<_> = inherited.cloned().collect();
        parts.extend(inherited);
        if let Some(body) = self.body(&parts, &consumes, at) {
            operation.insert("requestBody".to_owned(), body);
        }
        let produces = own.unwrap_or_else(|| self.produces.clone());
        let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
        for (status, response) in responses.into_iter().flatten() {
            let at = join(&join(at, "responses"), status);
            if let Some(response) = response.as_object_mut() {
                self.response(response, &produces, &at, &at);
            }
        }
    }

    /// Converts the parameters of a path or an operation; returns those that are a body, or parts of one.
    fn parameters(&mut self, owner: &mut Map<String, Value>, at: &str) -> Vec<Part> {
        let Some(list) = owner.get_mut("parameters").and_then(Value::as_array_mut) else {
            return Vec::new();
        };
        let (mut bodies, mut kept) = (Vec::new(), Vec::new());
        for (index, mut parameter) in std::mem::take(list).into_iter().enumerate() {
            let old = format!("{at}/parameters/{index}");
            let (target, target_at) = self.resolved(&parameter, &old);
            if is_body(&target) {
                bodies.push(Part {
                    value: target,
                    at: target_at,
                });
                continue;
            }
            let new = format!("{at}/parameters/{}", kept.len());
            if new != old {
                self.moved(&new, &old);
            }
            if let Some(members) = parameter
                .as_object_mut()
                .filter(|members| !members.contains_key("$ref"))
            {
                self.parameter(members, &old, &new);
            }
            kept.push(parameter);
        }
        match kept.is_empty() {
            true => drop(owner.shift_remove("parameters")),
            false => drop(owner.insert("parameters".to_owned(), Value::Array(kept))),
        }
        bodies
    }

    /// A parameter, or the named one that it refers to, with its pointer.
    fn resolved(&self, parameter: &Value, at: &str) -> (Value, String) {
        let pointer = parameter["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
        let named = pointer.and_then(|pointer| {
            let (section, name) = pointer.rsplit_once('/')?;
            let section = match section {
                "/parameters" => "parameters",
                "/components/parameters" => "components",
                _ => return None,
            };
            let target = self.parameters[section].pointer(&format!("/{name}"))?;
            Some((target.clone(), pointer.to_owned()))
        });
        named.unwrap_or_else(|| (parameter.clone(), at.to_owned()))
    }
}
