//! Arrivals that were checked: each once, as it comes in.

mod stored;

use std::ops::Deref;

use schemars::schema_for;
use serde::{Deserialize, Serialize, Serializer};
use wearlab_models::{
    ActivitySummary, BloodPressureSample, BodySummary, ElectrocardiogramSummary, HypnogramEntry, MealSummary,
    MenstrualCycleSummary, NoteSample, ProfileSummary, Sample, SleepCycleSummary, SleepSummary, WorkoutSummary,
};

use crate::line::{LineError, LineFormat, Words, filled};
use crate::{Arrival, DataArrival, DataKind, kept, years};

/// Bytes of the texts of a sample: a note is pages long, and no book.
const MAX_SAMPLE_TEXT: usize = 1 << 20;

/// How arrivals are written as lines.
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

/// An arrival that does not contradict itself: its ids and names are not empty, its dates have years that others can read, its
/// values have the shape of their resource. What it refers to is the store's to check.
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
    /// What is wrong with the line, and where, without any of its values.
    pub fn read(line: &str) -> Result<Self, LineError> {
        FORMAT.read(line)?.try_into()
    }

    /// Whether it has times without an offset.
    pub fn has_local_times(&self) -> bool {
        self.has_local_times
    }

    /// The [hash](DataArrival::values_hash) of the values of data, which is made when they are read: whoever writes them has
    /// less to do.
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
                years::connection("connection_made.provider", &made.provider)?;
            }
            Arrival::ConnectionFailed(failed) => {
                years::failure("connection_failed.error_details", &failed.error_details)?;
            }
            Arrival::LabOrderUpdated(updated) => updated.check()?,
            Arrival::LabResult(report) => report.check()?,
            Arrival::ConnectionEnded(_) | Arrival::Device(_) => {}
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

/// Checks what arrives: its shape, and its limits.
fn check_data(data: &DataArrival) -> Result<(), LineError> {
    check_shape(data)?;
    if matches!(DataKind::of(&data.resource), DataKind::Samples { .. })
        && let Some(index) = data.data.iter().position(|value| value.text_length() > MAX_SAMPLE_TEXT)
    {
        let reason = format!("must not be longer than {} MiB", MAX_SAMPLE_TEXT >> 20);
        return Err(LineError::new(format!("data.data[{index}]"), reason));
    }
    Ok(())
}

/// Checks the shape of values, and of what is said about them.
fn check_shape(data: &DataArrival) -> Result<(), LineError> {
    years::date("data.date", data.date)?;
    for (index, value) in data.data.iter().enumerate() {
        if value.iter().any(|(_, member)| years::is_beyond(member)) {
            return Err(years::beyond(format!("data.data[{index}]")));
        }
    }
    // It becomes a part of an event type.
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
    // Times without an offset have the same shape in any time zone; which one it is, the user's settings tell later.
    let values = data.values_in("UTC")?;
    kept::check(data, &values, |field, error| FORMAT.of_field(field, error))
}

#[cfg(test)]
mod tests;
