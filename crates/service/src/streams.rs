//! Samples of a sleep session or a workout.

use std::collections::BTreeMap;

use wearlab_ingest::{Number, Sample, SampleForm, SampleValue, is_numeric};
use wearlab_models::{ResourceName, Uuid};
use wearlab_server::ApiError;
use wearlab_store::{Session, TeamId};

use super::samples::{push_samples, push_text};
use super::write::invalid;
use super::{Service, store_error};

/// Micrometres per metre: sums are rounded to them.
const MICROMETRES: f64 = 1e6;

/// Samples of a session, by resource.
type SessionSamples = Vec<(ResourceName, Vec<Sample>)>;

impl Service {
    /// Returns the numeric time series within a session, of the session's source.
    pub(super) async fn session_samples(
        &self,
        team: TeamId,
        resource: ResourceName,
        session_id: Uuid,
        (missing, location): (&'static str, &str),
    ) -> Result<SessionSamples, ApiError> {
        let store = self.store()?.team(team);
        let sessions: Vec<Session> = store.sessions(&resource, session_id).await.map_err(store_error)?;
        let session = match sessions.as_slice() {
            [] => return Err(ApiError::not_found(missing)),
            [session] => session,
            _ => {
                let message = "must be the id of one session: several users of the team have one with this id. Read the time \
                               series of the user, by the times of the session";
                return Err(invalid(location, "ambiguous", message));
            }
        };
        let most = self.settings.limits.session_bytes;
        let series = store.session_samples(session, most).await.map_err(store_error)?;
        let mut series = series.ok_or_else(|| {
            let message = "must be of a session with fewer samples: read them in pages, by the times of the session";
            invalid(location, "too_large", message)
        })?;
        series.retain(|(resource, _)| is_numeric(resource));
        Ok(series)
    }
}

/// Begins the JSON object of a stream: its samples by resource.
pub(super) fn samples_json(series: &[(ResourceName, Vec<Sample>)]) -> Vec<u8> {
    let mut json = br#"{"samples":{"#.to_vec();
    for (index, (resource, samples)) in series.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        push_text(&mut json, resource.as_str());
        json.push(b':');
        push_samples(&mut json, SampleForm::of(resource), samples);
    }
    json.push(b'}');
    json
}

/// Begins a member of an object, except the first one.
pub(super) fn push_name(json: &mut Vec<u8>, name: &str) {
    json.push(b',');
    push_text(json, name);
    json.push(b':');
}

/// Returns the samples of a resource.
pub(super) fn of<'s>(series: &'s [(ResourceName, Vec<Sample>)], resource: &ResourceName) -> &'s [Sample] {
    let found = series.iter().find(|(of, _)| of == resource);
    found.map_or(&[], |(_, samples)| samples)
}

/// Columns of a workout: a row for each time of a sample.
pub(super) struct Columns(BTreeMap<i64, Row>);

/// Values of a time.
#[derive(Default)]
struct Row {
    heart_rate: Option<i64>,
    distance: Option<f64>,
}

impl Columns {
    pub(super) fn of(series: &[(ResourceName, Vec<Sample>)]) -> Self {
        let mut rows: BTreeMap<i64, Row> = BTreeMap::new();
        for sample in of(series, &ResourceName::Heartrate) {
            if let Some(rate) = number(sample).and_then(Number::rounded) {
                rows.entry(sample.time).or_default().heart_rate = Some(rate);
            }
        }
        let own = of(series, &ResourceName::WorkoutDistance);
        let steps = match own {
            [] => of(series, &ResourceName::Distance),
            own => own,
        };
        let mut covered = 0.0;
        for sample in steps {
            if let Some(step) = number(sample) {
                covered += step.to_f64();
                let end = sample.span.map_or(sample.time, |(_, end)| end);
                rows.entry(end).or_default().distance = Some((covered * MICROMETRES).round() / MICROMETRES);
            }
        }
        Self(rows)
    }

    pub(super) fn push(&self, json: &mut Vec<u8>) {
        push_column(json, "time", self.0.keys().map(|time| Some(time.div_euclid(1_000_000))));
        push_column(json, "heartrate", self.0.values().map(|row| row.heart_rate));
        push_column(json, "distance", self.0.values().map(|row| row.distance));
    }
}

fn number(sample: &Sample) -> Option<&Number> {
    match &sample.value {
        SampleValue::One(number) => Some(number),
        _ => None,
    }
}

fn push_column<T: serde::Serialize>(json: &mut Vec<u8>, name: &str, values: impl Iterator<Item = Option<T>>) {
    push_name(json, name);
    let values: Vec<_> = values.collect();
    // Writing numbers into memory cannot fail.
    drop(serde_json::to_writer(json, &values));
}
