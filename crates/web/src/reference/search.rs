//! `/docs/search.json`: the terms of operations and events that filters search, beside their titles.
//!
//! Terms are the names of parameters with their documented values, of schemas, and of fields at any depth; and the
//! types of an event, one for each resource.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use serde_json::Value;

use super::document::{Document, Operation};
use super::site::Reference;

/// Pointer to the enum of the documented resources.
const RESOURCES: &str = "/components/schemas/KnownResourceName/enum";
/// Placeholder of the resource in the types of a family of events.
const RESOURCE: &str = "{resource}";

pub(super) async fn show(State(reference): State<Arc<Reference>>) -> Response {
    let mut response = wearlab_server::content("application/json", index(reference.document()).to_string());
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    response
}

/// Returns the terms by the id of the operation or event.
fn index(document: &Document) -> Value {
    let operations = document.operations().map(|operation| terms(document, &operation));
    let events = document.events().map(|event| {
        let (id, mut terms) = terms(document, &event);
        if event.path.contains(RESOURCE) {
            let resources = document.at(RESOURCES).as_array().into_iter().flatten();
            let types = resources
                .filter_map(Value::as_str)
                .map(|name| event.path.replace(RESOURCE, name));
            terms.extend(types);
        }
        (id, terms)
    });
    let all: BTreeMap<_, _> = operations.chain(events).collect();
    serde_json::to_value(all).unwrap_or_default()
}

fn terms<'d>(document: &'d Document, operation: &Operation<'d>) -> (String, BTreeSet<String>) {
    let mut found = Terms {
        document,
        terms: BTreeSet::new(),
        seen: BTreeSet::new(),
    };
    for parameter in operation.parameters() {
        found.terms.insert(parameter.name.to_owned());
        found.values(parameter.schema);
    }
    let bodies = operation.body().into_iter().map(|(content, _)| content.schema);
    let responses = operation
        .successes()
        .flat_map(|(_, response)| document.contents(response));
    for schema in bodies.chain(responses.map(|content| content.schema)) {
        found.schema(schema);
    }
    (operation.id().to_owned(), found.terms)
}

/// Collects the names in schemas.
struct Terms<'d> {
    document: &'d Document,
    terms: BTreeSet<String>,
    /// References that are already followed.
    seen: BTreeSet<&'d str>,
}

impl<'d> Terms<'d> {
    /// Adds the name of a schema, and the names of its fields.
    fn schema(&mut self, schema: &'d Value) {
        match schema {
            Value::Object(members) => {
                if let Some(reference) = schema["$ref"].as_str() {
                    if self.seen.insert(reference) {
                        let name = reference.rsplit('/').next().unwrap_or_default();
                        self.terms.insert(name.to_owned());
                        self.schema(self.document.resolve(schema));
                    }
                    return;
                }
                for (key, value) in members {
                    match key.as_str() {
                        "properties" => {
                            for (name, property) in value.as_object().into_iter().flatten() {
                                self.terms.insert(name.clone());
                                self.schema(property);
                            }
                        }
                        "items" | "additionalProperties" | "anyOf" | "oneOf" | "allOf" => self.schema(value),
                        _ => {}
                    }
                }
            }
            Value::Array(parts) => parts.iter().for_each(|part| self.schema(part)),
            _ => {}
        }
    }

    /// Adds the documented values of a parameter.
    fn values(&mut self, schema: &'d Value) {
        let schema = self.document.resolve(schema);
        let values = schema["enum"].as_array().into_iter().flatten();
        self.terms.extend(values.filter_map(Value::as_str).map(str::to_owned));
        for part in schema["anyOf"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(schema.get("items"))
        {
            self.values(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::index;
    use crate::reference::document::Document;

    #[test]
    fn fields_values_schemas_and_events_are_found() {
        let index = index(&Document::new(str::to_owned));
        for (id, term) in [
            ("list_samples", "heartrate"),
            ("list_samples", "SampleGroup"),
            ("list_samples", "next_cursor"),
            ("list_sleep", "hr_average"),
            ("list_workouts", "max_hr"),
            ("create_user", "client_user_id"),
            ("daily_data_created", "daily.data.heartrate.created"),
        ] {
            let terms = index[id].as_array().unwrap_or_else(|| panic!("{id} has no terms"));
            assert!(terms.iter().any(|known| known == term), "{id} has no {term}: {terms:?}");
        }
        let operations = Document::new(str::to_owned);
        for operation in operations.operations() {
            assert!(index[operation.id()].is_array(), "{}", operation.id());
        }
    }
}
