//! Checks of the shape of values, by their resource.

use std::sync::Arc;

use chrono::DateTime;
use serde::de::DeserializeOwned;
use wearlab_models::{
    ActivitySummary, BloodPressureSample, BodySummary, ElectrocardiogramSummary, HypnogramEntry, MealSummary,
    MenstrualCycleSummary, NoteSample, ProfileSummary, ResourceName, SleepCycleSummary, SleepSummary, WorkoutSummary,
};

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
    let checks = Check { describe };
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
                checks.summary(&arrival.resource, &field(), &draft.value)?;
            }
            (_, Some(unit)) => {
                let sample = sample(&arrival.resource, value, unit).map_err(within)?;
                checks.sample(&arrival.resource, field, value, &sample)?;
            }
            _ if arrival.resource == ResourceName::Hypnogram => {
                checks.value::<HypnogramEntry>(&field(), value)?;
            }
            _ => {}
        }
    }
    Ok(())
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

struct Check {
    describe: Describe,
}

impl Check {
    fn summary(&self, resource: &ResourceName, field: &str, whole: &ExactObject) -> Result<(), LineError> {
        match resource {
            ResourceName::Activity => self.value::<ActivitySummary>(field, whole),
            ResourceName::Body => self.value::<BodySummary>(field, whole),
            ResourceName::Sleep => self.value::<SleepSummary>(field, whole),
            ResourceName::SleepCycle => self.value::<SleepCycleSummary>(field, whole),
            ResourceName::Workouts => self.value::<WorkoutSummary>(field, whole),
            ResourceName::Meal => self.value::<MealSummary>(field, whole),
            ResourceName::MenstrualCycle => self.value::<MenstrualCycleSummary>(field, whole),
            ResourceName::Electrocardiogram => self.value::<ElectrocardiogramSummary>(field, whole),
            _ => self.value::<ProfileSummary>(field, whole),
        }
    }

    /// Checks a sample that was read, which has the shape of most time series. Its further members are checked if there
    /// are any.
    fn sample(
        &self,
        resource: &ResourceName,
        field: impl Fn() -> String,
        value: &ExactObject,
        sample: &Sample,
    ) -> Result<(), LineError> {
        let whole = || {
            let mut value = value.clone();
            if let Some(unit) = &sample.unit {
                value.insert("unit", ExactValue::String(unit.to_string()));
            }
            value
        };
        match resource {
            ResourceName::BloodPressure => self.value::<BloodPressureSample>(&field(), &whole()),
            ResourceName::Note => self.value::<NoteSample>(&field(), &whole()),
            _ if sample.rest.is_some() || !sample.has_value() => {
                self.value::<wearlab_models::Sample>(&field(), &whole())
            }
            _ => Ok(()),
        }
    }

    fn value<T: DeserializeOwned>(&self, field: &str, value: &ExactObject) -> Result<(), LineError> {
        let value = serde_json::to_value(value).map_err(|_| LineError::new(field, "not JSON"))?;
        match serde_path_to_error::deserialize::<_, T>(value) {
            Ok(_) => Ok(()),
            Err(error) => Err((self.describe)(field, &error)),
        }
    }
}

pub(super) fn join(field: &str, path: &str) -> String {
    match path {
        "" => field.to_owned(),
        path => format!("{field}.{path}"),
    }
}
