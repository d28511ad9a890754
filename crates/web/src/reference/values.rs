//! Values of parameters in samples and forms: those of the document's examples, or of a demo's data.

use super::document::Parameter;

/// Values by the names of parameters, in place of the examples.
#[derive(Default)]
pub(super) struct Values(Vec<(String, String)>);

impl Values {
    pub(super) fn new(values: Vec<(String, String)>) -> Self {
        Self(values)
    }

    /// Returns the value of a parameter.
    pub(super) fn of(&self, parameter: &Parameter<'_>) -> String {
        let own = self.0.iter().find(|(name, _)| name == parameter.name);
        own.map_or_else(|| example(parameter), |(_, value)| value.clone())
    }
}

/// Returns the example of a parameter.
pub(super) fn example(parameter: &Parameter<'_>) -> String {
    let value = &parameter.value["example"];
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value.as_array() {
        Some(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        None if value.is_null() => String::new(),
        None => text(value),
    }
}
