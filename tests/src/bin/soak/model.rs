//! Naive model of arrivals and their events, by the rules of the API only.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use crate::arrival::{Arrival, Kind, number_of_chunk, time_of_chunk, time_of_day};
use crate::world::{STEADY, first_day, has_ids};

/// Source of data without one.
const NO_SOURCE: &str = "";

/// Expected event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) event_type: String,
    pub(crate) user: usize,
    /// Values, or the name of the connected provider.
    pub(crate) says: Value,
}

/// Outcome of an arrival.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// The arrival was taken, and caused these events.
    Taken(Vec<Expected>),
    /// The arrival is refused.
    Refused,
}

/// State of all users after the arrivals.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) users: BTreeMap<usize, User>,
}

/// State of a user.
#[derive(Clone, Debug)]
pub(crate) struct User {
    /// Arrivals with an id that were taken.
    taken: HashSet<u64>,
    /// Connections by slug.
    pub(crate) connections: BTreeMap<&'static str, Connection>,
    /// Last arrival of each device.
    pub(crate) devices: BTreeMap<u32, u64>,
    /// Last data of each source, by provider, resource and day. None if a pull brought them.
    days: HashMap<(&'static str, &'static str, u32), BTreeMap<&'static str, Option<u64>>>,
    pulls: HashMap<(u64, &'static str), Pull>,
    /// Number in each value, by time.
    pub(crate) values: BTreeMap<OfSource, BTreeMap<String, u64>>,
}

/// Provider, a resource and a source.
pub(crate) type OfSource = (&'static str, &'static str, &'static str);

/// Connection.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// Day of creation.
    on: u32,
    pub(crate) name: String,
    /// Arrival that created its current state, if one did.
    made_by: Option<u64>,
    /// Arrival that made it fail.
    pub(crate) failed: Option<u64>,
    /// Resources with data.
    pub(crate) available: BTreeSet<&'static str>,
}

/// Received chunks of a pull, and whether it is complete.
#[derive(Clone, Debug, Default)]
struct Pull {
    /// Day of each chunk. None if the user does not want it.
    chunks: BTreeMap<u32, Option<u32>>,
    whole: bool,
    /// Number of chunks that came again after the pull was complete, because values had been deleted.
    again: usize,
}

impl Model {
    /// Creates the model of imported users.
    pub(crate) fn new(users: impl IntoIterator<Item = usize>) -> Self {
        let user = || User {
            taken: HashSet::new(),
            connections: STEADY
                .map(|slug| (slug, Connection::new(slug.to_owned(), 0, None)))
                .into(),
            devices: BTreeMap::new(),
            days: HashMap::new(),
            pulls: HashMap::new(),
            values: BTreeMap::new(),
        };
        Self {
            users: users.into_iter().map(|number| (number, user())).collect(),
        }
    }

    /// Applies an arrival.
    pub(crate) fn apply(&mut self, arrival: &Arrival) -> Fate {
        let Some(user) = self.users.get_mut(&arrival.user) else {
            return Fate::Refused;
        };
        if user.taken.contains(&arrival.number) {
            return Fate::Taken(Vec::new());
        }
        let fate = user.apply(arrival);
        let out_of_bounds = match arrival.kind {
            Kind::Day { day, .. } | Kind::Chunk { day, .. } => day < first_day(arrival.user),
            _ => false,
        };
        if has_ids(arrival.user) && fate != Fate::Refused && !out_of_bounds {
            user.taken.insert(arrival.number);
        }
        fate
    }

    /// Returns the number of expected historical events: one for each resource of a complete pull, and one for each of
    /// its chunks that came again after a deletion.
    pub(crate) fn whole_pulls(&self) -> usize {
        let pulls = self.users.values().flat_map(|user| user.pulls.values());
        pulls.filter(|pull| pull.whole).map(|pull| 1 + pull.again).sum()
    }
}

impl User {
    fn apply(&mut self, arrival: &Arrival) -> Fate {
        let wanted = |day: u32| day >= first_day(arrival.user);
        let event = |event_type: String, says: Value| {
            let user = arrival.user;
            Fate::Taken(vec![Expected { event_type, user, says }])
        };
        match arrival.kind {
            Kind::Bad(_) => Fate::Refused,
            Kind::Device { device } => {
                self.devices.insert(device, arrival.number);
                Fate::Taken(Vec::new())
            }
            Kind::Ended { provider } => {
                self.connections.remove(provider);
                Fate::Taken(Vec::new())
            }
            Kind::Failed { provider } => match self.connections.get_mut(provider) {
                None => Fate::Refused,
                Some(connection) => {
                    let worked = connection.failed.is_none();
                    if connection.failed != Some(arrival.number) {
                        connection.made_by = None;
                        connection.failed = Some(arrival.number);
                    }
                    match worked {
                        true => event(
                            "provider.connection.error".to_owned(),
                            json!(arrival.number.to_string()),
                        ),
                        false => Fate::Taken(Vec::new()),
                    }
                }
            },
            Kind::Made { provider, on } => {
                let before = self.connections.get(provider);
                if before.is_some_and(|before| before.made_by == Some(arrival.number)) {
                    return Fate::Taken(Vec::new());
                }
                let same = before.is_some_and(|before| before.on == on && before.failed.is_none());
                let name = arrival.name(provider);
                let made = Connection::new(name.clone(), on, Some(arrival.number));
                self.connections.insert(provider, made);
                match same {
                    true => Fate::Taken(Vec::new()),
                    false => event("provider.connection.created".to_owned(), json!(name)),
                }
            }
            Kind::Day {
                provider,
                resource,
                day,
                source,
            } => {
                let Some(connection) = self.connections.get_mut(provider) else {
                    return Fate::Refused;
                };
                if !wanted(day) {
                    return Fate::Taken(Vec::new());
                }
                let sources = self.days.entry((provider, resource, day)).or_default();
                let verb = if sources.is_empty() { "created" } else { "updated" };
                let is_repeated = sources.insert(source, Some(arrival.number)) == Some(Some(arrival.number));
                let values = self.values.get(&(provider, resource, source));
                let stored = values.and_then(|values| values.get(&time_of_day(day)));
                if is_repeated && stored == Some(&arrival.number) {
                    return Fate::Taken(Vec::new());
                }
                connection.available.insert(resource);
                self.keep((provider, resource, source), time_of_day(day), arrival.number);
                event(format!("daily.data.{resource}.{verb}"), json!([arrival.number]))
            }
            Kind::Deleted {
                provider,
                resource,
                day,
            } => {
                if !self.connections.contains_key(provider) {
                    return Fate::Refused;
                }
                let sources = self.delete(provider, resource, day);
                if sources == 0 {
                    return Fate::Taken(Vec::new());
                }
                // The whole day is deleted, from all sources. Other days are unchanged.
                self.days.remove(&(provider, resource, day));
                let deleted = Expected {
                    event_type: format!("daily.data.{resource}.deleted"),
                    user: arrival.user,
                    says: json!([null]),
                };
                Fate::Taken(vec![deleted; sources])
            }
            Kind::Chunk {
                provider,
                resource,
                day,
                pull: number,
                chunk,
                chunks,
            } => {
                let Some(connection) = self.connections.get_mut(provider) else {
                    return Fate::Refused;
                };
                let pull = self.pulls.entry((number, resource)).or_default();
                if pull.whole || pull.chunks.contains_key(&chunk) {
                    let values = self.values.entry((provider, resource, NO_SOURCE)).or_default();
                    let time = time_of_chunk(day, chunk);
                    if !wanted(day) || values.contains_key(&time) {
                        return Fate::Taken(Vec::new());
                    }
                    // The value was deleted since.
                    let value = number_of_chunk(number, chunk);
                    values.insert(time, value);
                    let sources = self.days.entry((provider, resource, day)).or_default();
                    sources.entry(NO_SOURCE).or_insert(None);
                    connection.available.insert(resource);
                    pull.again += usize::from(pull.whole);
                    return match pull.whole {
                        true => event(format!("historical.data.{resource}.created"), json!([value])),
                        false => Fate::Taken(Vec::new()),
                    };
                }
                pull.chunks.insert(chunk, wanted(day).then_some(day));
                if wanted(day) {
                    let sources = self.days.entry((provider, resource, day)).or_default();
                    sources.entry(NO_SOURCE).or_insert(None);
                    connection.available.insert(resource);
                    let (time, number) = (time_of_chunk(day, chunk), number_of_chunk(number, chunk));
                    let values = self.values.entry((provider, resource, NO_SOURCE)).or_default();
                    values.insert(time, number);
                }
                if pull.chunks.len() < chunks as usize {
                    return Fate::Taken(Vec::new());
                }
                pull.whole = true;
                // The current stored values: another pull may have changed them, and a deletion removed them.
                let stored = self.values.entry((provider, resource, NO_SOURCE)).or_default();
                let kept = pull.chunks.iter().filter_map(|(chunk, day)| Some((chunk, (*day)?)));
                let values = kept.filter_map(|(chunk, day)| stored.get(&time_of_chunk(day, *chunk)));
                let values: Vec<_> = values.copied().collect();
                event(format!("historical.data.{resource}.created"), json!(values))
            }
        }
    }
}

impl User {
    fn keep(&mut self, of: OfSource, time: String, number: u64) {
        self.values.entry(of).or_default().insert(time, number);
    }

    /// Deletes the samples of a day. Returns the number of sources that had some.
    fn delete(&mut self, provider: &str, resource: &str, day: u32) -> usize {
        let date = time_of_day(day)[..10].to_owned();
        let mut count = 0;
        for (of, values) in &mut self.values {
            if (of.0, of.1) == (provider, resource) {
                let before = values.len();
                values.retain(|time, _| !time.starts_with(&date));
                count += usize::from(values.len() < before);
            }
        }
        count
    }
}

impl Connection {
    fn new(name: String, on: u32, made_by: Option<u64>) -> Self {
        Self {
            on,
            name,
            made_by,
            failed: None,
            available: BTreeSet::new(),
        }
    }
}
