//! Times without an offset in the values of arrivals, read in a time zone.
//!
//! A clock that goes forward skips times, and one that goes back shows some twice. A time that was skipped is as long
//! after the change as it would have been without it: 02:30 becomes 03:30. Of a time that came twice, the first is
//! meant, unless that is before what was earlier in the same sleep.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, TimeZone as _, Timelike};
use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use wearlab_models::{ResourceName, User};

use crate::kept::times_of;
use crate::{DataArrival, ExactObject, ExactValue, IngestError};

impl DataArrival {
    /// The values, with times that have no offset read in a time zone of the tz database, such as `Europe/Oslo`. None
    /// where there is no such time zone and it is needed.
    ///
    /// Times are those of the session in summaries and of the stages in sleep cycles, `start` and `end` in
    /// hypnograms, and `timestamp`, `start` and `end` in values of other resources. A value that says its time zone or
    /// offset itself stays as it is.
    pub fn values_in(&self, zone: &str) -> Option<Cow<'_, [ExactObject]>> {
        if !self.data.iter().any(object_has_local) {
            return Some(Cow::Borrowed(&self.data));
        }
        let mut clock = Clock {
            zone: TimeZoneDatabase::bundled().get(zone).ok()?,
            latest: None,
        };
        let mut values = self.data.clone();
        for value in values.iter_mut().filter(|value| !says_its_zone(value)) {
            clock.read_value(&self.resource, value);
        }
        Some(Cow::Owned(values))
    }

    /// The same, where times without an offset get that of a user's fallback time zone.
    ///
    /// # Errors
    ///
    /// Where that time zone is needed and is none of the tz database.
    pub fn with_offsets(&self, user: &User) -> Result<Cow<'_, Self>, IngestError> {
        match self.values_in(&user.fallback_time_zone.id) {
            Some(Cow::Borrowed(_)) => Ok(Cow::Borrowed(self)),
            Some(Cow::Owned(data)) => Ok(Cow::Owned(Self { data, ..self.clone() })),
            None => {
                let what = "times without an offset cannot be read: the user's fallback time zone is unknown";
                Err(IngestError::Invalid { what })
            }
        }
    }
}

/// Whether a time without an offset is anywhere in a value.
fn has_local(value: &ExactValue) -> bool {
    match value {
        ExactValue::String(text) => local(text).is_some(),
        ExactValue::Array(values) => values.iter().any(has_local),
        ExactValue::Object(object) => object_has_local(object),
        _ => false,
    }
}

fn object_has_local(object: &ExactObject) -> bool {
    object.iter().any(|(_, member)| has_local(member))
}

/// Whether a value has a member that defines how its times are meant. What that is, only its provider knows.
fn says_its_zone(value: &ExactObject) -> bool {
    let names = ["timezone", "time_zone", "offset"];
    // The stages of a sleep cycle are so long after its start.
    let is_stage = |name: &str| name.starts_with("stage_") && name.ends_with("_offset_second");
    let says = |name: &str| name == "tz" || names.iter().any(|part| name.contains(part)) && !is_stage(name);
    (value.iter()).any(|(name, member)| *member != ExactValue::Null && says(&name.to_ascii_lowercase()))
}

/// A time without an offset: `2026-03-29T02:30`, with or without seconds and their fractions, and with a space for the T.
fn local(text: &str) -> Option<NaiveDateTime> {
    let bytes = text.as_bytes();
    let separates = |at: usize, signs: &[u8]| bytes.get(at).is_some_and(|byte| signs.contains(byte));
    // The reader of times takes numbers of any length.
    let shaped = separates(4, b"-") && separates(7, b"-") && separates(10, b"T ") && separates(13, b":");
    if !shaped || !bytes[0].is_ascii_digit() {
        return None;
    }
    // It has its offset.
    if bytes[14..].iter().any(|byte| b"Zz+-".contains(byte)) {
        return None;
    }
    let mut text = text.replacen(' ', "T", 1);
    if text.len() == 16 {
        text.push_str(":00");
    }
    text.parse().ok()
}

/// A clock on the wall of a time zone, as it was read so far.
struct Clock {
    zone: TimeZone,
    /// The latest time of the sleep or of the value that is read.
    latest: Option<DateTime<FixedOffset>>,
}

impl Clock {
    fn read_value(&mut self, resource: &ResourceName, value: &mut ExactObject) {
        match resource {
            ResourceName::SleepCycle => {
                self.latest = None;
                self.read(value.get_mut("session_start"));
                if let Some(ExactValue::Array(stages)) = value.get_mut("hypnogram") {
                    for stage in stages {
                        if let ExactValue::Object(stage) = stage {
                            self.read_span(stage);
                        }
                    }
                }
                self.read(value.get_mut("session_end"));
            }
            // Each value is a stage of the same sleep.
            ResourceName::Hypnogram => self.read_span(value),
            resource => {
                self.latest = None;
                for name in times_of(resource) {
                    self.read(value.get_mut(name));
                }
            }
        }
    }

    fn read_span(&mut self, value: &mut ExactObject) {
        self.read(value.get_mut("start"));
        self.read(value.get_mut("end"));
    }

    /// Gives a time its offset, if it is one without.
    fn read(&mut self, member: Option<&mut ExactValue>) {
        let Some(ExactValue::String(text)) = member else { return };
        let time = match local(text) {
            Some(local) => self.time(local).inspect(|time| *text = time.to_rfc3339()),
            None => text.parse().ok(),
        };
        self.latest = self.latest.max(time);
    }

    fn time(&self, local: NaiveDateTime) -> Option<DateTime<FixedOffset>> {
        match self.offset(local)? {
            AmbiguousOffset::Unambiguous { offset } => at(local, offset, offset),
            AmbiguousOffset::Gap { before, after } => at(local, before, after),
            AmbiguousOffset::Fold { before, after } => {
                let (first, second) = (at(local, before, before)?, at(local, after, after)?);
                let is_second = self.latest.is_some_and(|latest| first < latest && latest <= second);
                Some(if is_second { second } else { first })
            }
        }
    }

    fn offset(&self, local: NaiveDateTime) -> Option<AmbiguousOffset> {
        // Clocks change at whole seconds.
        let local = civil::DateTime::new(
            local.year().try_into().ok()?,
            local.month().try_into().ok()?,
            local.day().try_into().ok()?,
            local.hour().try_into().ok()?,
            local.minute().try_into().ok()?,
            local.second().try_into().ok()?,
            0,
        );
        Some(self.zone.to_ambiguous_timestamp(local.ok()?).offset())
    }
}

/// A time that a clock of one offset shows, as a clock of another one shows it.
fn at(local: NaiveDateTime, offset: Offset, shown: Offset) -> Option<DateTime<FixedOffset>> {
    let time = FixedOffset::east_opt(offset.seconds())?
        .from_local_datetime(&local)
        .single()?;
    // Offsets had seconds once, and are written without: the moment stays, and the clock shows some seconds less.
    let shown = FixedOffset::east_opt(shown.seconds() / 60 * 60)?;
    Some(time.with_timezone(&shown))
}
