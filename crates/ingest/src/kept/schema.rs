//! Checks of the shape of values, by their resource.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::DateTime;
use serde::de::DeserializeOwned;
use wearlab_models::{ResourceName, SchemaVisitor};

use super::form::{SampleForm, present};
use super::kind::DataKind;
use super::summary::Context;
use crate::sample::is_leap_second;
use crate::{DataArrival, ExactObject, ExactValue, LineError, Sample};

/// Unit of energy.
const ENERGY: &str = "kcal";
const LEAP_SECOND: &str = "must not be a leap second, which would replace the sample of the second after it: send that or the \
                           second before";

/// Describes the error of a value, within a field of a line.
type Describe = fn(&str, &serde_path_to_error::Error<serde_json::Error>) -> LineError;

/// Checks that the values of an arrival have the shape of their resource. Times without an offset have the same shape as
/// others.
pub(crate) fn check(arrival: &DataArrival, values: &[ExactObject], describe: Describe) -> Result<(), LineError> {
    let context = Context::new(arrival, None, DateTime::UNIX_EPOCH);
    let kind = DataKind::of(&arrival.resource);
    let unit: Option<Arc<str>> = match kind {
        DataKind::Samples { unit } => Some(unit.into()),
        _ => None,
    };
    for (index, value) in values.iter().enumerate() {
        let field = || format!("data.data[{index}]");
        let within = |error: LineError| LineError::new(join(&field(), &error.path), error.reason);
        match (kind, &unit) {
            (DataKind::Summary, _) => {
                let mut draft = context.complete(value).map_err(within)?;
                present(&arrival.resource, &mut draft.value);
                energy(&arrival.resource, &draft.value).map_err(within)?;
                let whole = || (field(), Cow::Borrowed(&draft.value));
                arrival.resource.visit_schema(Check { describe, whole }).transpose()?;
            }
            (_, Some(unit)) => {
                let sample = sample(&arrival.resource, value, unit).map_err(within)?;
                let whole = || (field(), Cow::Owned(with_unit(value, unit)));
                let check = Check { describe, whole };
                match arrival.resource.visit_schema(check) {
                    Some(checked) => checked?,
                    // It was read, with the shape of most samples. Its further members are checked if there are any.
                    None if sample.rest.is_some() || !sample.has_value() => check.visit::<wearlab_models::Sample>()?,
                    None => {}
                }
            }
            _ => {
                let whole = || (field(), Cow::Borrowed(value));
                arrival.resource.visit_schema(Check { describe, whole }).transpose()?;
            }
        }
    }
    Ok(())
}

fn with_unit(value: &ExactObject, unit: &str) -> ExactObject {
    let mut value = value.clone();
    value.insert("unit", ExactValue::String(unit.to_owned()));
    value
}

/// Checks that the energy of a meal and of its parts is in one unit.
fn energy(resource: &ResourceName, whole: &ExactObject) -> Result<(), LineError> {
    if *resource != ResourceName::Meal {
        return Ok(());
    }
    let has_other = |of: &ExactObject| match of.get("energy") {
        Some(ExactValue::Object(energy)) => {
            matches!(energy.get("unit"), Some(ExactValue::String(unit)) if unit != ENERGY)
        }
        _ => false,
    };
    let parts = match whole.get("data") {
        Some(ExactValue::Object(parts)) => Some(parts),
        _ => None,
    };
    let mut parts = parts.into_iter().flat_map(ExactObject::iter);
    let place = match has_other(whole) {
        true => "energy.unit",
        // The sender chooses the name of a part.
        false if parts.any(|(_, part)| matches!(part, ExactValue::Object(part) if has_other(part))) => "data",
        false => return Ok(()),
    };
    Err(LineError::new(place, format!("expected {ENERGY}, the unit of energy")))
}

/// Reads a sample in its unit. In a series that shows samples without a type as `unknown`, the two are the same.
pub(super) fn sample(resource: &ResourceName, value: &ExactObject, unit: &Arc<str>) -> Result<Sample, LineError> {
    let mut sample = Sample::read(value)?;
    sample.normalize(SampleForm::of(resource));
    if matches!(value.get("timestamp"), Some(ExactValue::String(time)) if is_leap_second(time)) {
        return Err(LineError::new("timestamp", LEAP_SECOND));
    }
    match &sample.unit {
        None => sample.unit = Some(unit.clone()),
        // The shared text of the unit, in place of a copy.
        Some(sent) if sent == unit => sample.unit = Some(unit.clone()),
        Some(_) => {
            return Err(LineError::new(
                "unit",
                format!("expected {unit}, the unit of the resource"),
            ));
        }
    }
    Ok(sample)
}

/// Check of a value against the schema of its resource.
#[derive(Clone, Copy)]
struct Check<F> {
    describe: Describe,
    /// Returns the field of the value, and the value.
    whole: F,
}

impl<'v, F: FnOnce() -> (String, Cow<'v, ExactObject>)> SchemaVisitor for Check<F> {
    type Output = Result<(), LineError>;

    fn visit<T: DeserializeOwned>(self) -> Self::Output {
        let (field, value) = (self.whole)();
        let value = serde_json::to_value(&*value).map_err(|_| LineError::new(&field, "not JSON"))?;
        match serde_path_to_error::deserialize::<_, T>(value) {
            Ok(_) => Ok(()),
            Err(error) => Err((self.describe)(&field, &error)),
        }
    }
}

pub(super) fn join(field: &str, path: &str) -> String {
    match path {
        "" => field.to_owned(),
        path => format!("{field}.{path}"),
    }
}
