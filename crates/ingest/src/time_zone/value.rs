//! Readings of a value: its times, each as one of its possible instants.

use chrono::{DateTime, FixedOffset};
use jiff::tz::TimeZone;
use wearlab_models::ResourceName;

use super::local::Time;
use super::order::{Overlap, Span, earliest, latest};
use crate::kept::times_of;
use crate::{ExactObject, ExactValue, LineError};

const ENDS_FIRST: &str = "is before the start, since the clock changed in between: send times with their offset, such as \
                          2026-03-29T03:30:00+02:00";
const NO_CYCLE: &str = "the session and its stages are not in the order of time, since the clock changed in between: send times \
                        with their offset, such as 2026-03-29T03:30:00+02:00";

/// Place of a time within a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Member(&'static str),
    /// Stage of the hypnogram, by its number.
    Stage(usize, &'static str),
}

impl Place {
    /// Returns the path within the value.
    pub(super) fn path(self) -> String {
        match self {
            Self::Member(name) => name.to_owned(),
            Self::Stage(stage, name) => format!("hypnogram[{stage}].{name}"),
        }
    }

    /// Returns the time in the value.
    fn of(self, value: &mut ExactObject) -> Option<&mut ExactValue> {
        match self {
            Self::Member(name) => value.get_mut(name),
            Self::Stage(stage, name) => match value.get_mut("hypnogram") {
                Some(ExactValue::Array(stages)) => match stages.get_mut(stage) {
                    Some(ExactValue::Object(stage)) => stage.get_mut(name),
                    _ => None,
                },
                _ => None,
            },
        }
    }
}

/// Times of a value, and their possible combinations.
pub(super) struct Times {
    /// All times with their places.
    all: Vec<(Place, Time)>,
    /// Time that identifies samples and sessions: the first of the value.
    pub(super) key: (Place, Time),
    pub(super) readings: Vec<Reading>,
}

/// Reading of a value.
pub(super) struct Reading {
    pub(super) span: Span,
    /// Instant of the key, in µs since 1970, UTC.
    pub(super) key: i64,
    /// Instants of all times, in order.
    instants: Vec<DateTime<FixedOffset>>,
    /// Place of a time whose two instants are both within the span: the first was selected.
    pub(super) ambiguous: Option<Place>,
}

impl Times {
    /// Returns the times of a value in a time zone; none without times.
    ///
    /// # Errors
    ///
    /// Returns an error if the value ends before it begins, by a change of the clock. The path is within the value.
    pub(super) fn read(
        resource: &ResourceName,
        value: &ExactObject,
        zone: &TimeZone,
    ) -> Result<Option<Self>, LineError> {
        let time = |name: &'static str| {
            let time = read(value, name, zone)?;
            Some((Place::Member(name), time))
        };
        match (resource, times_of(resource)) {
            (ResourceName::SleepCycle, [start, end]) => Self::cycle(value, time(start), time(end), zone),
            (ResourceName::Hypnogram, _) => Self::plain(None, time("start"), time("end")),
            (_, [start, end]) => Self::plain(None, time(start), time(end)),
            _ => Self::plain(time("timestamp"), time("start"), time("end")),
        }
    }

    fn plain(
        timestamp: Option<(Place, Time)>,
        start: Option<(Place, Time)>,
        end: Option<(Place, Time)>,
    ) -> Result<Option<Self>, LineError> {
        let all: Vec<_> = [timestamp, start, end].into_iter().flatten().collect();
        let (Some(key), Some(first)) = (all.first().copied(), start.or(timestamp).or(end)) else {
            return Ok(None);
        };
        let last = end.unwrap_or(first);
        let mut readings = Vec::new();
        for (start_at, end_at) in spans(&first, &last)? {
            let mut ambiguous = None;
            let mut beside = |place: Place, time: Time| {
                // A timestamp is usually that of the start or of the end.
                match (time.local, first.1.local, last.1.local) {
                    (Some(local), Some(start), _) if local == start => start_at,
                    (Some(local), _, Some(end)) if local == end => end_at,
                    _ => {
                        let is_within = |instant: &DateTime<FixedOffset>| (start_at..=end_at).contains(instant);
                        let mut within = time.instants.iter().filter(is_within);
                        let found = within.next();
                        if within.next().is_some() {
                            ambiguous = Some(place);
                        }
                        found.unwrap_or_else(|| nearest(time, start_at))
                    }
                }
            };
            let instants: Vec<_> = all
                .iter()
                .map(|(place, time)| match *place {
                    place if place == first.0 => start_at,
                    place if place == last.0 => end_at,
                    place => beside(place, *time),
                })
                .collect();
            readings.push(Reading {
                ambiguous,
                ..Reading::new(start_at, end_at, instants)
            });
        }
        Ok(Some(Self { all, key, readings }))
    }

    /// Reads the times of a sleep cycle: its stages are ordered, within the session.
    fn cycle(
        value: &ExactObject,
        start: Option<(Place, Time)>,
        end: Option<(Place, Time)>,
        zone: &TimeZone,
    ) -> Result<Option<Self>, LineError> {
        let stages = match value.get("hypnogram") {
            Some(ExactValue::Array(stages)) => stages.as_slice(),
            _ => &[],
        };
        let mut all: Vec<_> = start.into_iter().collect();
        // The times of each stage, and its readings.
        let (mut lengths, mut choices) = (Vec::new(), Vec::new());
        for (number, stage) in stages.iter().enumerate() {
            let ExactValue::Object(stage) = stage else { continue };
            let times = ["start", "end"].map(|name| Some((Place::Stage(number, name), read(stage, name, zone)?)));
            let of_stage: Vec<_> = times.into_iter().flatten().collect();
            let (Some(first), Some(last)) = (of_stage.first(), of_stage.last()) else {
                continue;
            };
            choices.push(spans(first, last)?);
            lengths.push(of_stage.len());
            all.extend(of_stage);
        }
        all.extend(end);
        let Some(key) = all.first().copied() else {
            return Ok(None);
        };
        let starts: Vec<_> = start
            .iter()
            .flat_map(|(_, time)| time.instants.iter())
            .map(Some)
            .collect();
        let starts = if starts.is_empty() { vec![None] } else { starts };
        let mut readings: Vec<Reading> = Vec::new();
        for session in starts {
            let begin = session.map(|start| vec![(start, start)]);
            let sequence: Vec<Vec<Span>> = begin
                .iter()
                .chain(&choices)
                .map(|choice| choice.iter().map(span).collect())
                .collect();
            let selections = [earliest(&sequence, Overlap::Never).ok(), latest(&sequence)];
            for selected in selections.into_iter().flatten() {
                let selected = &selected[begin.iter().len()..];
                let mut instants: Vec<_> = session.into_iter().collect();
                for ((choice, selected), times) in choices.iter().zip(selected).zip(&lengths) {
                    let (first, last) = choice[*selected];
                    instants.extend([first, last].into_iter().skip(2 - times));
                }
                let latest = instants.iter().max().copied();
                let ends = end.iter().flat_map(|(_, time)| time.instants.iter());
                let ends = ends.filter(|end| latest.is_none_or(|latest| latest <= *end)).map(Some);
                let ends: Vec<_> = if end.is_some() { ends.collect() } else { vec![None] };
                for end in ends {
                    let instants: Vec<_> = instants.iter().copied().chain(end).collect();
                    if let (Some(first), Some(last)) = (instants.first(), instants.iter().max())
                        && readings.iter().all(|known| known.instants != instants)
                    {
                        readings.push(Reading::new(*first, *last, instants));
                    }
                }
            }
        }
        if readings.is_empty() {
            let changed = all.iter().rev().find(|(_, time)| time.is_at_change());
            if let Some((place, _)) = changed {
                return Err(LineError::new(place.path(), NO_CYCLE));
            }
            // They are not ordered with any readings.
            let instants: Vec<_> = all.iter().filter_map(|(_, time)| time.instants.iter().next()).collect();
            if let (Some(first), Some(last)) = (instants.first(), instants.last()) {
                readings.push(Reading::new(*first, *last, instants));
            }
        }
        Ok(Some(Self { all, key, readings }))
    }

    /// Returns the place of the first time without an offset.
    pub(super) fn first_local(&self) -> Option<Place> {
        self.first(|time| time.local.is_some())
    }

    /// Returns the place of the first time that the clock showed twice.
    pub(super) fn first_twice(&self) -> Option<Place> {
        self.first(Time::is_twice)
    }

    /// Returns the place of the first time that the clock skipped.
    pub(super) fn first_skipped(&self) -> Option<Place> {
        self.first(Time::is_skipped)
    }

    fn first(&self, is_wanted: impl Fn(&Time) -> bool) -> Option<Place> {
        let found = self.all.iter().find(|(_, time)| is_wanted(time));
        found.map(|(place, _)| *place)
    }

    /// Writes a reading into the value: times without an offset get one.
    pub(super) fn write(&self, reading: &Reading, value: &mut ExactObject) {
        for ((place, time), instant) in self.all.iter().zip(&reading.instants) {
            if time.local.is_some()
                && let Some(member) = place.of(value)
            {
                *member = ExactValue::String(instant.to_rfc3339());
            }
        }
    }
}

impl Reading {
    fn new(start: DateTime<FixedOffset>, end: DateTime<FixedOffset>, instants: Vec<DateTime<FixedOffset>>) -> Self {
        Self {
            span: span(&(start, end)),
            key: instants.first().map_or(start, |key| *key).timestamp_micros(),
            instants,
            ambiguous: None,
        }
    }
}

fn span((start, end): &Ends) -> Span {
    Span {
        start: start.timestamp_micros(),
        end: end.timestamp_micros(),
    }
}

/// Start and end, each with its offset.
type Ends = (DateTime<FixedOffset>, DateTime<FixedOffset>);

/// Returns the spans between two times, shorter ones first. If the second is before the first with all readings, that
/// is the only one.
fn spans((start_place, start): &(Place, Time), (end_place, end): &(Place, Time)) -> Result<Vec<Ends>, LineError> {
    let mut spans = Vec::new();
    for start_at in start.instants.iter() {
        match start_place == end_place {
            true => spans.push((start_at, start_at)),
            false => {
                let ends = end.instants.iter().filter(|end| *end >= start_at);
                spans.extend(ends.map(|end| (start_at, end)));
            }
        }
    }
    if spans.is_empty() {
        if start.is_at_change() || end.is_at_change() {
            return Err(LineError::new(end_place.path(), ENDS_FIRST));
        }
        spans.extend(start.instants.iter().zip(end.instants.iter()));
    }
    Ok(spans)
}

/// Returns the instant of a time that is nearest to another one.
fn nearest(time: Time, other: DateTime<FixedOffset>) -> DateTime<FixedOffset> {
    let instants = time.instants.iter();
    instants.min_by_key(|instant| (*instant - other).abs()).unwrap_or(other)
}

fn read(value: &ExactObject, name: &str, zone: &TimeZone) -> Option<Time> {
    match value.get(name) {
        Some(ExactValue::String(text)) => Time::read(text, zone),
        _ => None,
    }
}
