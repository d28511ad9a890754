//! Values of a provider, in our units and names.

use std::fmt;

use chrono::NaiveDate;
use serde_json::{Map, Value};
use wearlab_models::ResourceName;

/// Value of a resource: a summary, or a sample of a time series. `Debug` does not show it.
#[derive(Clone, PartialEq)]
pub struct Reading {
    /// Resource.
    pub resource: ResourceName,
    /// Day of the value, in the time of the user.
    pub day: NaiveDate,
    /// Kind of source, if it is not that of the provider's profile.
    pub source_type: Option<&'static str>,
    /// The value, as an arrival has it.
    pub value: Map<String, Value>,
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}

impl Reading {
    /// Creates a reading of the provider's usual source. Members of `value` that are null are left out.
    pub fn new(resource: ResourceName, day: NaiveDate, value: Value) -> Self {
        Self {
            resource,
            day,
            source_type: None,
            value: object(value),
        }
    }
}

/// Returns the members of a JSON object that are not null.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}
