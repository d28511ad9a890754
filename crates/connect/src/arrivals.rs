//! Readings as arrivals.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use wearlab_ingest::{Arrival, ArrivalSource, DataArrival, ExactObject, LineError, PullChunk, ValidArrival};
use wearlab_models::ResourceName;
use wearlab_store::LeasedPullTask;

use crate::provider::{Collection, Profile, Span};
use crate::reading::Reading;
use crate::task::History;

/// Valid arrivals, and the number of readings that are not valid.
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

/// Returns the values of an arrival one by one, where the store refuses them together, and its chunk without values.
pub(crate) fn singles(arrival: &ValidArrival) -> Vec<ValidArrival> {
    let Arrival::Data(data) = &**arrival else {
        return Vec::new();
    };
    let of = |data: DataArrival| ValidArrival::try_from(Arrival::Data(data)).ok();
    let values = data.data.iter().map(|value| DataArrival {
        data: vec![value.clone()],
        pull: None,
        ..data.clone()
    });
    let chunk = data.pull.as_ref().map(|_| DataArrival {
        data: Vec::new(),
        ..data.clone()
    });
    values.chain(chunk).filter_map(of).collect()
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
    history: &History,
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
            chunks: history.windows,
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
        let arrival = |data: Vec<ExactObject>, pull: Option<PullChunk>| {
            ValidArrival::try_from(Arrival::Data(DataArrival {
                team_id: task.team.uuid(),
                user_id: task.user_id,
                provider: task.provider.clone(),
                resource: resource.clone(),
                date: day,
                source: ArrivalSource {
                    type_: Some(source.to_owned()),
                    app_id: None,
                },
                data,
                raw: ExactObject::default(),
                pull,
                arrival_id: None,
            }))
        };
        let mut values = Vec::with_capacity(readings.len());
        for reading in readings {
            match exact(&reading) {
                Ok(value) => values.push(value),
                Err(error) => self.reject(&resource, error.to_string()),
            }
        }
        match arrival(values.clone(), pull.clone()) {
            Ok(valid) => self.valid.push(valid),
            Err(_) => self.add_each(&resource, values, pull, arrival),
        }
    }

    /// Adds an arrival for each value that is valid by itself, and the chunk without values: its pull must end.
    fn add_each(
        &mut self,
        resource: &ResourceName,
        values: Vec<ExactObject>,
        pull: Option<PullChunk>,
        arrival: impl Fn(Vec<ExactObject>, Option<PullChunk>) -> Result<ValidArrival, LineError>,
    ) {
        for value in values {
            match arrival(vec![value], None) {
                Ok(valid) => self.valid.push(valid),
                Err(error) => self.reject(resource, error.to_string()),
            }
        }
        if pull.is_some() {
            match arrival(Vec::new(), pull) {
                Ok(valid) => self.valid.push(valid),
                Err(error) => self.reject(resource, error.to_string()),
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
