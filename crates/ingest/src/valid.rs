//! Validated arrivals.

mod stored;

use std::ops::Deref;

use schemars::schema_for;
use serde::{Deserialize, Serialize, Serializer};
use wearlab_models::{
    ActivitySummary, BloodPressureSample, BodySummary, Device, ElectrocardiogramSummary, HypnogramEntry, MealSummary,
    MenstrualCycleSummary, NoteSample, ProfileSummary, Sample, SleepCycleSummary, SleepSummary, WorkoutSummary,
};

use crate::line::{LineError, LineFormat, Words, at_most, filled};
use crate::{Arrival, DataArrival, DataKind, depth, kept, years};

/// Maximum bytes of the texts of a sample: enough for pages of notes.
const MAX_SAMPLE_TEXT: usize = 1 << 20;

/// Format of arrivals as lines.
static FORMAT: LineFormat<Arrival> = LineFormat::new(Arrival::kind, || {
    Words::of([
        schema_for!(Arrival),
        schema_for!(HypnogramEntry),
        schema_for!(ActivitySummary),
        schema_for!(BodySummary),
        schema_for!(SleepSummary),
        schema_for!(SleepCycleSummary),
        schema_for!(WorkoutSummary),
        schema_for!(MealSummary),
        schema_for!(MenstrualCycleSummary),
        schema_for!(ElectrocardiogramSummary),
        schema_for!(ProfileSummary),
        schema_for!(Sample),
        schema_for!(BloodPressureSample),
        schema_for!(NoteSample),
    ])
});

/// Arrival without internal contradictions: its ids and names are not empty, its dates have years that others can read,
/// its values have the shape of their resource. The store checks its references.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Arrival")]
pub struct ValidArrival {
    arrival: Arrival,
    values_hash: Option<[u8; 32]>,
    has_local_times: bool,
}

impl ValidArrival {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// Returns the error of the line, with its location and without any of its values.
    pub fn read(line: &str) -> Result<Self, LineError> {
        FORMAT.read(line)?.try_into()
    }

    /// Returns whether it has times without an offset.
    pub fn has_local_times(&self) -> bool {
        self.has_local_times
    }

    /// Returns the [hash](DataArrival::values_hash) of the values of data, computed when they are read, so that the
    /// writer has less to do.
    pub fn values_hash(&self) -> Option<[u8; 32]> {
        self.values_hash
    }
}

impl Serialize for ValidArrival {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.arrival.serialize(serializer)
    }
}

impl Deref for ValidArrival {
    type Target = Arrival;

    fn deref(&self) -> &Arrival {
        &self.arrival
    }
}

impl TryFrom<Arrival> for ValidArrival {
    type Error = LineError;

    fn try_from(arrival: Arrival) -> Result<Self, LineError> {
        if let Some(id) = arrival.arrival_id() {
            filled(&format!("{}.arrival_id", arrival.kind()), id)?;
        }
        match &arrival {
            Arrival::Data(data) => check_data(data)?,
            Arrival::DataDeleted(deleted) => {
                deleted.deletion()?;
                for (name, day) in [("start_date", deleted.start_date), ("end_date", deleted.end_date)] {
                    day.map_or(Ok(()), |day| years::date(&format!("data_deleted.{name}"), day))?;
                }
                for (name, time) in [("start", &deleted.start), ("end", &deleted.end)] {
                    time.as_ref()
                        .map_or(Ok(()), |time| years::time(&format!("data_deleted.{name}"), time))?;
                }
            }
            Arrival::ConnectionMade(made) => {
                filled("connection_made.provider.slug", &made.provider.slug)?;
                at_most("connection_made.provider.slug", &made.provider.slug, MAX_NAME)?;
                at_most("connection_made.provider.name", &made.provider.name, MAX_NAME)?;
                at_most("connection_made.provider.logo", &made.provider.logo, MAX_LOGO)?;
                years::connection("connection_made.provider", &made.provider)?;
                made.provider
                    .error_details
                    .iter()
                    .try_for_each(|details| depth::check("connection_made.provider.error_details", &details.extra))?;
            }
            Arrival::ConnectionFailed(failed) => {
                years::failure("connection_failed.error_details", &failed.error_details)?;
                depth::check("connection_failed.error_details", &failed.error_details.extra)?;
            }
            Arrival::LabOrderUpdated(updated) => updated.check()?,
            Arrival::LabResult(report) => report.check()?,
            Arrival::Device(seen) => check_device(&seen.device)?,
            Arrival::ConnectionEnded(_) => {}
        }
        let values_hash = match &arrival {
            Arrival::Data(data) => Some(data.values_hash()),
            _ => None,
        };
        let has_local_times = matches!(&arrival, Arrival::Data(data) if data.has_local_times());
        Ok(Self {
            arrival,
            values_hash,
            has_local_times,
        })
    }
}

fn check_device(device: &Device) -> Result<(), LineError> {
    at_most("device.device.provider", &device.provider, MAX_NAME)?;
    at_most("device.device.source_type", device.source_type.as_str(), MAX_NAME)?;
    for (name, text) in [
        ("app_id", &device.app_id),
        ("device_manufacturer", &device.device_manufacturer),
        ("device_model", &device.device_model),
        ("device_version", &device.device_version),
        ("device_id", &device.device_id),
    ] {
        text.iter()
            .try_for_each(|text| at_most(&format!("device.device.{name}"), text, MAX_NAME))?;
    }
    Ok(())
}

/// Maximum characters of the name of a resource: it is compared with all documented ones, and is a part of an event
/// type.
const MAX_RESOURCE: usize = 100;

/// Maximum characters of the URL of a logo, which may be a data URL of a small image.
const MAX_LOGO: usize = 8_192;

/// Maximum characters of a name: each read of a user has many.
const MAX_NAME: usize = 1_000;

/// Maximum members of a value: each is looked up among all of them.
const MAX_MEMBERS: usize = 1_000;

/// Checks the limits and the shape of data.
fn check_data(data: &DataArrival) -> Result<(), LineError> {
    at_most("data.resource", data.resource.as_str(), MAX_RESOURCE)?;
    if data.raw.iter().any(|(_, member)| depth::is_too_deep(member)) {
        return Err(depth::too_deep("data.raw"));
    }
    let is_sample = matches!(DataKind::of(&data.resource), DataKind::Samples { .. });
    for (index, value) in data.data.iter().enumerate() {
        let path = || format!("data.data[{index}]");
        if value.iter().any(|(_, member)| depth::is_too_deep(member)) {
            return Err(depth::too_deep(path()));
        }
        if value.iter().count() > MAX_MEMBERS {
            return Err(LineError::new(
                path(),
                format!("must not have more than {MAX_MEMBERS} members"),
            ));
        }
        if is_sample && value.text_length() > MAX_SAMPLE_TEXT {
            let reason = format!("must not be longer than {} MiB", MAX_SAMPLE_TEXT >> 20);
            return Err(LineError::new(path(), reason));
        }
    }
    check_shape(data)
}

/// Checks the shape of values, and the fields about them.
fn check_shape(data: &DataArrival) -> Result<(), LineError> {
    years::date("data.date", data.date)?;
    for (index, value) in data.data.iter().enumerate() {
        if value.iter().any(|(_, member)| years::is_beyond(member)) {
            return Err(years::beyond(format!("data.data[{index}]")));
        }
    }
    // It becomes part of an event type.
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let name = data.resource.as_str();
    if name.is_empty() || !name.bytes().all(fits) {
        return Err(LineError::new(
            "data.resource",
            "expected a name of letters, digits, _ and -",
        ));
    }
    if let Some(instead) = kept::other_arrival(&data.resource) {
        return Err(LineError::new(
            "data.resource",
            format!("{name} is no resource of data: {instead}"),
        ));
    }
    if let Some(pull) = &data.pull {
        filled("data.pull.id", &pull.id)?;
        if !(1..=pull.chunks).contains(&pull.chunk) {
            return Err(LineError::new(
                "data.pull.chunk",
                "the number of the chunk is not from 1 to that of the chunks",
            ));
        }
        if !data.raw.is_empty() {
            return Err(LineError::new("data.raw", "a historical pull has no raw payload"));
        }
    }
    // Times without an offset have the same shape in any time zone; the user's settings decide it later.
    let values = data.values_in("UTC")?;
    kept::check(data, &values, |field, error| FORMAT.of_field(field, error))
}

#[cfg(test)]
mod tests;
