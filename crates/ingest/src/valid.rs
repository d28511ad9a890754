//! Arrivals that were checked: each once, as it comes in.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::schema_for;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wearlab_models::{HypnogramEntry, ResourceName, SleepCycle};

use crate::line::{LineError, LineFormat, Words, filled};
use crate::{Arrival, DataArrival, ExactObject, years};

/// How arrivals are written as lines.
static FORMAT: LineFormat<Arrival> = LineFormat::new(Arrival::kind, || {
    Words::of([
        schema_for!(Arrival),
        schema_for!(SleepCycle),
        schema_for!(HypnogramEntry),
    ])
});

/// An arrival that does not contradict itself: its ids and names are not empty, its dates have years that others can read, its
/// values have the shape of their resource. What it refers to is the store's to check.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Arrival")]
pub struct ValidArrival(Arrival);

impl ValidArrival {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// What is wrong with the line, and where, without any of its values.
    pub fn read(line: &str) -> Result<Self, LineError> {
        FORMAT.read(line)?.try_into()
    }
}

impl Deref for ValidArrival {
    type Target = Arrival;

    fn deref(&self) -> &Arrival {
        &self.0
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
            Arrival::ConnectionMade(made) => {
                filled("connection_made.provider.slug", &made.provider.slug)?;
                years::connection("connection_made.provider", &made.provider)?;
            }
            Arrival::ConnectionFailed(failed) => {
                years::failure("connection_failed.error_details", &failed.error_details)?;
            }
            Arrival::ConnectionEnded(_) | Arrival::Device(_) => {}
        }
        Ok(Self(arrival))
    }
}

fn check_data(data: &DataArrival) -> Result<(), LineError> {
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
    match &data.resource {
        ResourceName::SleepCycle => check_values::<SleepCycle>(data),
        ResourceName::Hypnogram => check_values::<HypnogramEntry>(data),
        _ => Ok(()),
    }
}

/// Values of a resource that has a shape of its own must have it.
fn check_values<T: DeserializeOwned>(data: &DataArrival) -> Result<(), LineError> {
    // Times without an offset have the same shape in any time zone; which one it is, the user's settings tell later.
    let values = data.values_in("UTC").unwrap_or(Cow::Borrowed(&data.data));
    values
        .iter()
        .enumerate()
        .try_for_each(|(index, value)| check_value::<T>(index, value))
}

fn check_value<T: DeserializeOwned>(index: usize, value: &ExactObject) -> Result<(), LineError> {
    let value = serde_json::to_value(value).map_err(|_| LineError::new("data.data", "not JSON"))?;
    match serde_path_to_error::deserialize::<_, T>(value) {
        Ok(_) => Ok(()),
        Err(error) => Err(FORMAT.of_field(&format!("data.data[{index}]"), &error)),
    }
}

#[cfg(test)]
mod tests;
