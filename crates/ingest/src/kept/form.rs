//! Values in reads and events. Stored values and exports are unchanged.

use wearlab_models::ResourceName;

use crate::{ExactObject, ExactValue, Number};

/// Converts a stored summary for reads and events: measured numbers are rounded if existing clients expect integers,
/// and the members that these clients expect beside the source are added. It may be converted already.
pub fn present(resource: &ResourceName, summary: &mut ExactObject) {
    for name in resource.rounded() {
        if let Some(value) = summary.get_mut(name) {
            round(value);
        }
    }
    if resource.repeats_source() {
        repeat_source(summary);
    }
    match resource {
        // These are true or absent.
        ResourceName::Activity | ResourceName::Profile
            if summary.get("wheelchair_use") == Some(&ExactValue::Bool(false)) =>
        {
            summary.remove("wheelchair_use");
        }
        ResourceName::Meal if summary.get("calendar_date").is_none() => {
            // Earlier versions stored no day of a meal.
            if let Some(ExactValue::String(time)) = summary.get("timestamp")
                && let Some(day) = time.get(..10)
            {
                summary.insert("calendar_date", ExactValue::String(day.to_owned()));
            }
        }
        _ => {}
    }
}

/// Rounds a number, or those of a list.
fn round(value: &mut ExactValue) {
    match value {
        ExactValue::Number(number) => {
            if let Some(rounded) = Number::read(number.as_str()).rounded() {
                *value = ExactValue::read(&rounded.to_string()).unwrap_or(ExactValue::Null);
            }
        }
        ExactValue::Array(items) => items.iter_mut().for_each(round),
        _ => {}
    }
}

/// Repeats the members of the source beside it.
fn repeat_source(summary: &mut ExactObject) {
    for (name, of_source) in [("source_provider", "provider"), ("source_type", "type")] {
        let Some(ExactValue::Object(source)) = summary.get("source") else {
            return;
        };
        if let Some(text @ ExactValue::String(_)) = source.get(of_source) {
            let text = text.clone();
            summary.insert(name, text);
        }
    }
}

/// Members that reads and events add to the stored samples of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleForm {
    /// Adds a span to each: the instant if it covers none.
    pub spans: bool,
    /// Adds a type to each: `unknown` if the provider has none.
    pub typed: bool,
    /// Rounds measured values to integers.
    pub integers: bool,
}

impl SampleForm {
    /// Returns the form of the samples of a resource.
    pub const fn of(resource: &ResourceName) -> Self {
        Self {
            spans: !resource.is_instant(),
            typed: resource.has_type(),
            integers: resource.is_whole(),
        }
    }
}
