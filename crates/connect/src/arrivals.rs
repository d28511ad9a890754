//! Readings as arrivals.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use wearlab_ingest::{Arrival, ArrivalSource, DataArrival, ExactObject, LineError, PullChunk, ValidArrival};
use wearlab_models::ResourceName;
use wearlab_store::{LeasedPullTask, PullHistory};

use crate::provider::{Collection, Profile};
use crate::reading::Reading;
use crate::span::Span;

/// Valid arrivals, and the readings that are not valid.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    pub(crate) valid: Vec<ValidArrival>,
    pub(crate) rejected: Vec<Rejected>,
}

/// Reading that is not valid.
#[derive(Debug)]
pub(crate) struct Rejected {
    pub(crate) resource: ResourceName,
    /// The field and the rule, without the value.
    pub(crate) reason: String,
}

/// Returns the values of an arrival one by one, where they are refused together, and its chunk without values: its pull must
/// end.
fn split(data: &DataArrival) -> impl Iterator<Item = DataArrival> {
    let empty = DataArrival {
        data: Vec::new(),
        ..data.clone()
    };
    let values = data.data.iter().map(|value| DataArrival {
        data: vec![value.clone()],
        pull: None,
        ..empty.clone()
    });
    let values: Vec<_> = values.collect();
    values.into_iter().chain(empty.pull.is_some().then_some(empty))
}

fn validate(data: DataArrival) -> Result<ValidArrival, LineError> {
    ValidArrival::try_from(Arrival::Data(data))
}

/// Returns the parts of a valid arrival, each by itself, where the store refuses them together.
pub(crate) fn singles(arrival: &ValidArrival) -> Vec<ValidArrival> {
    match &**arrival {
        Arrival::Data(data) => split(data).filter_map(|part| validate(part).ok()).collect(),
        _ => Vec::new(),
    }
}

/// Returns an arrival for each day, resource and source.
pub(crate) fn by_day(task: &LeasedPullTask, profile: &Profile, readings: Vec<Reading>) -> Arrivals {
    let mut groups: BTreeMap<(ResourceName, &str, NaiveDate), Vec<Reading>> = BTreeMap::new();
    for reading in readings {
        let source = reading.source_type.unwrap_or(profile.source_type);
        groups
            .entry((reading.resource.clone(), source, reading.day))
            .or_default()
            .push(reading);
    }
    let mut arrivals = Arrivals::default();
    for ((resource, source, day), readings) in groups {
        arrivals.add(task, (resource, source, day), readings, None);
    }
    arrivals
}

/// Returns the chunks of the historical pulls of a window: one of each resource, also without values.
pub(crate) fn chunks(
    task: &LeasedPullTask,
    profile: &Profile,
    collection: &Collection,
    history: &PullHistory,
    span: Span,
    readings: Vec<Reading>,
) -> Arrivals {
    let mut by_resource: BTreeMap<&ResourceName, Vec<Reading>> = collection
        .resources
        .iter()
        .map(|resource| (resource, Vec::new()))
        .collect();
    let mut others = Vec::new();
    for reading in readings {
        // A chunk has one source: values of another one are data of their day.
        match by_resource.get_mut(&reading.resource) {
            Some(chunk) if reading.source_type.is_none() => chunk.push(reading),
            _ => others.push(reading),
        }
    }
    let mut arrivals = by_day(task, profile, others);
    for (resource, readings) in by_resource {
        let chunk = PullChunk {
            id: history.pull.to_string(),
            chunk: history.next,
            chunks: history.windows(),
        };
        arrivals.add(
            task,
            (resource.clone(), profile.source_type, span.last),
            readings,
            Some(chunk),
        );
    }
    arrivals
}

/// Returns a value as arrivals have it: read from its text, since that keeps the digits of numbers.
fn exact(reading: &Reading) -> serde_json::Result<ExactObject> {
    serde_json::from_str(&serde_json::to_string(&reading.value)?)
}

impl Arrivals {
    /// Adds an arrival. If it is not valid, its values are checked one by one, and the valid ones are added.
    fn add(
        &mut self,
        task: &LeasedPullTask,
        (resource, source, day): (ResourceName, &str, NaiveDate),
        readings: Vec<Reading>,
        pull: Option<PullChunk>,
    ) {
        let mut data = DataArrival {
            team_id: task.team.uuid(),
            user_id: task.user_id,
            provider: task.provider.clone(),
            resource,
            date: day,
            source: ArrivalSource {
                type_: Some(source.to_owned()),
                app_id: None,
            },
            data: Vec::with_capacity(readings.len()),
            raw: ExactObject::default(),
            pull,
            arrival_id: None,
        };
        for reading in readings {
            match exact(&reading) {
                Ok(value) => data.data.push(value),
                Err(error) => self.reject(&data.resource, error.to_string()),
            }
        }
        if let Ok(valid) = validate(data.clone()) {
            self.valid.push(valid);
            return;
        }
        for part in split(&data) {
            match validate(part) {
                Ok(valid) => self.valid.push(valid),
                Err(error) => self.reject(&data.resource, error.to_string()),
            }
        }
    }

    fn reject(&mut self, resource: &ResourceName, reason: String) {
        self.rejected.push(Rejected {
            resource: resource.clone(),
            reason,
        });
    }
}
