//! What is kept of the values of an arrival, by its resource: summaries, samples of a time series, or nothing but the events.

mod cycle;
mod kind;
mod schema;
mod summary;

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use jiff::tz::TimeZoneDatabase;
use wearlab_models::User;

pub(crate) use self::kind::times_of;
pub use self::kind::{DataKind, unit_of};
pub(crate) use self::schema::check;
use self::summary::Context;
pub use self::summary::Summary;
use crate::{DataArrival, ExactObject, ExactValue, IngestError, Sample};

/// An arrival whose values are complete, and what is kept of each.
pub struct Completed<'a> {
    /// The arrival. Its values are those that events and reads have, but for samples, of which `kept` has them.
    pub arrival: Cow<'a, DataArrival>,
    /// What is kept.
    pub kept: Kept,
}

impl Completed<'_> {
    /// The values that are wanted, by their place, as events and reads have them: the text of a JSON array.
    ///
    /// # Errors
    ///
    /// Where one cannot be written.
    pub fn values(&self, is_wanted: impl Fn(usize) -> bool) -> Result<String, IngestError> {
        let failed = |_| IngestError::Document { what: "value" };
        let Kept::Samples(samples) = &self.kept else {
            let values = self.arrival.data.iter().enumerate();
            let wanted: Vec<_> = values
                .filter(|(place, _)| is_wanted(*place))
                .map(|(_, value)| value)
                .collect();
            return serde_json::to_string(&wanted).map_err(failed);
        };
        let mut json = vec![b'['];
        for (_, sample) in samples.iter().enumerate().filter(|(place, _)| is_wanted(*place)) {
            if json.len() > 1 {
                json.push(b',');
            }
            sample.write(&mut json);
        }
        json.push(b']');
        String::from_utf8(json).map_err(|_| IngestError::Document { what: "value" })
    }
}

/// What is kept of the values of an arrival: as many as there are values, in their order.
pub enum Kept {
    /// Nothing: their resource is neither a summary nor a time series.
    Nothing,
    /// Summaries.
    Summaries(Vec<Summary>),
    /// Samples.
    Samples(Vec<Sample>),
}

impl DataArrival {
    /// Completes the values, whose times have their offsets: summaries get what every summary has, samples their normal form.
    ///
    /// `earlier` finds a summary that is kept already, by what identifies it: one that says the same as before stays as it
    /// is, and another one keeps its time of creation.
    ///
    /// # Errors
    ///
    /// Where a value does not have the shape of its resource, or `earlier` fails.
    pub fn completed<E: From<IngestError>>(
        &self,
        user: &User,
        now: DateTime<Utc>,
        mut earlier: impl FnMut(&Summary) -> Result<Option<ExactObject>, E>,
    ) -> Result<Completed<'_>, E> {
        let invalid = |_| IngestError::Invalid {
            what: "a value does not have the shape of its resource",
        };
        match DataKind::of(&self.resource) {
            DataKind::Other => Ok(Completed {
                arrival: Cow::Borrowed(self),
                kept: Kept::Nothing,
            }),
            DataKind::Summary => {
                let zone = TimeZoneDatabase::bundled().get(&user.fallback_time_zone.id).ok();
                let context = Context::new(self, zone.as_ref(), now);
                let (mut data, mut kept) = (Vec::new(), Vec::new());
                for value in &self.data {
                    let (mut value, summary) = context.complete(value).map_err(invalid)?;
                    if let Some(earlier) = earlier(&summary)? {
                        value = corrected(earlier, value);
                    }
                    data.push(value);
                    kept.push(summary);
                }
                Ok(self.with_data(data, Kept::Summaries(kept)))
            }
            DataKind::Samples { unit } => {
                let unit = Arc::from(unit);
                let samples = self.data.iter().map(|value| schema::sample(value, &unit));
                Ok(Completed {
                    arrival: Cow::Borrowed(self),
                    kept: Kept::Samples(samples.collect::<Result<_, _>>().map_err(invalid)?),
                })
            }
        }
    }

    fn with_data(&self, data: Vec<ExactObject>, kept: Kept) -> Completed<'_> {
        let arrival = Self {
            data,
            team_id: self.team_id,
            user_id: self.user_id,
            provider: self.provider.clone(),
            resource: self.resource.clone(),
            date: self.date,
            source: self.source.clone(),
            raw: self.raw.clone(),
            pull: self.pull.clone(),
            arrival_id: self.arrival_id.clone(),
        };
        Completed {
            arrival: Cow::Owned(arrival),
            kept,
        }
    }
}

/// A summary that was kept already, as it is now: the earlier one where it says the same.
fn corrected(earlier: ExactObject, mut now: ExactObject) -> ExactObject {
    if let Some(created) = earlier.get("created_at") {
        now.insert("created_at", created.clone());
    }
    let without_times = |object: &ExactObject| {
        let mut object = object.clone();
        object.remove("updated_at");
        let mut text = String::new();
        ExactValue::Object(object).push_canonical(&mut text);
        text
    };
    match without_times(&earlier) == without_times(&now) {
        true => earlier,
        false => now,
    }
}

#[cfg(test)]
mod tests;
