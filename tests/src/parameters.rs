//! Parameters of operations, as the document describes them, and URLs without an object and without a valid value.

use serde_json::Value;
use wearlab_models::Uuid;
use wearlab_sample::Sample;
use wearlab_server::Operation;
use wearlab_store::KeyHash;

use crate::orders;
use crate::values::{self, DOCUMENT, LINK_TOKEN};

/// Required parameters of operations in their query.
pub const QUERY: &str = "?diagnosis_query=E11&start_date=2026-04-01&end_date=2026-04-02";

/// Returns the target of a reference, or the value itself.
pub fn resolved(value: &Value) -> &Value {
    let target = value["$ref"].as_str().and_then(|target| DOCUMENT.pointer(&target[1..]));
    target.unwrap_or(value)
}

/// Returns an operation of the document.
pub fn described(operation: &Operation) -> &'static Value {
    &DOCUMENT["paths"][operation.path][operation.method.as_str().to_lowercase()]
}

/// Returns whether the request or the response of an operation is a stream of lines.
pub fn is_of_lines(operation: &Operation) -> bool {
    let described = described(operation);
    let parts = [&described["requestBody"], &described["responses"]["200"]];
    parts
        .iter()
        .any(|part| part["content"].get("application/x-ndjson").is_some())
}

/// Returns the parameters of an operation in its path and query.
fn parameters(operation: &Operation) -> Vec<&'static Value> {
    let lists = [
        &DOCUMENT["paths"][operation.path]["parameters"],
        &described(operation)["parameters"],
    ];
    let all = lists.into_iter().filter_map(Value::as_array).flatten().map(resolved);
    all.filter(|parameter| parameter["in"] == "path" || parameter["in"] == "query")
        .collect()
}

/// Returns whether an operation has parameters in its path and query.
pub fn has_parameters(operation: &Operation) -> bool {
    !parameters(operation).is_empty()
}

/// Returns whether an operation has a required parameter in its query.
pub fn is_query_required(operation: &Operation) -> bool {
    let is_required = |parameter: &&Value| parameter["in"] == "query" && parameter["required"] == true;
    parameters(operation).iter().any(is_required)
}

fn name(parameter: &Value) -> &str {
    parameter["name"].as_str().expect("a name")
}

fn is_uuid(parameter: &Value) -> bool {
    parameter["schema"]["format"] == "uuid"
}

/// Returns the path of an operation with another value of one of its parameters: the last id, or the first one.
fn with(operation: &Operation, uuid: &str, text: &str) -> Option<String> {
    let all = parameters(operation);
    let in_path = |parameter: &&&Value| parameter["in"] == "path";
    let position = |parameter: &&&Value| operation.path.find(&format!("{{{}}}", name(parameter)));
    let last_id = all
        .iter()
        .filter(|parameter| is_uuid(parameter))
        .filter(in_path)
        .max_by_key(position);
    let (parameter, value) = match last_id {
        Some(id) => (id, uuid),
        None => (all.iter().filter(in_path).min_by_key(position)?, text),
    };
    Some(operation.path.replace(&format!("{{{}}}", name(parameter)), value))
}

/// Values of the parameters in paths.
pub struct PathValues<'v> {
    /// Sample, whose providers and lab tests every team has.
    pub sample: &'v Sample,
    /// Organisation.
    pub org: &'v str,
    /// Team of the organisation.
    pub team: Uuid,
    /// Environment of the team.
    pub env: &'v str,
    /// Region of the team.
    pub region: &'v str,
    /// Key of the team.
    pub key: &'v str,
    /// User of the team, with data and an order.
    pub user: Uuid,
    /// `client_user_id` of the user.
    pub client_user_id: &'v str,
    /// Event of the team.
    pub event_id: &'v str,
}

impl PathValues<'_> {
    /// Returns a path of the document with the values of its parameters.
    ///
    /// # Panics
    ///
    /// If there is none for a parameter.
    pub fn fill(&self, template: &str) -> String {
        let path = template
            .replace("{org_id}", self.org)
            .replace("{team_id}", &self.team.to_string())
            .replace("{env}", self.env)
            .replace("{region}", self.region)
            .replace("{key_id}", &KeyHash::of(self.key).id())
            .replace("{user_id}", &self.user.to_string())
            .replace("{client_user_id}", self.client_user_id)
            .replace("{event_id}", self.event_id)
            .replace("{webhook_id}", &values::webhook_of(self.team))
            .replace("{link_token_id}", &KeyHash::of(LINK_TOKEN).id())
            .replace("{device_id}", &values::device_of(self.user).to_string())
            .replace("{sleep_id}", &values::sleep_of(self.user).to_string())
            .replace("{workout_id}", &values::workout_of(self.user).to_string())
            .replace("{order_id}", &orders::order_of(self.user).to_string())
            .replace("{resource}", "heartrate")
            .replace("{lab_test_id}", &self.sample.lab_test_id)
            .replace("{oauth_provider}", &self.sample.oauth_provider)
            .replace("{slug}", &self.sample.oauth_provider)
            .replace("{provider}", &self.sample.oauth_provider);
        assert!(!path.contains('{'), "{template} has a parameter that is not filled");
        path
    }
}

/// Returns the path and query of an operation for an object that does not exist, if the document says that there may be
/// none: its other parameters in the path stay.
pub fn of_nothing(operation: &Operation) -> Option<String> {
    described(operation)["responses"].get("404")?;
    let nothing = Uuid::nil().to_string();
    if let Some(path) = with(operation, &nothing, "none") {
        return Some(format!("{path}{QUERY}"));
    }
    let id = parameters(operation).into_iter().find(|parameter| is_uuid(parameter))?;
    Some(format!("{}{QUERY}&{}={nothing}", operation.path, name(id)))
}

/// Returns the path and query of an operation with an invalid value, if it has parameters: no id, no UTF-8, or a single
/// value that is repeated. Its other parameters in the path stay.
pub fn invalid(operation: &Operation) -> Option<String> {
    if let Some(path) = with(operation, "mine", "%FF") {
        return Some(format!("{path}{QUERY}"));
    }
    let all = parameters(operation);
    let one = all
        .into_iter()
        .find(|parameter| parameter["schema"]["type"] != "array")?;
    let name = name(one);
    Some(format!("{}{QUERY}&{name}=a&{name}=b", operation.path))
}
