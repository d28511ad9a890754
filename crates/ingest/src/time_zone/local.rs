//! Times without an offset: their text, and their instants in a time zone.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, TimeZone as _, Timelike};
use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use crate::{ExactObject, ExactValue};

/// Time of a value.
#[derive(Clone, Copy)]
pub(super) struct Time {
    /// Local time, if the text has no offset.
    pub(super) local: Option<NaiveDateTime>,
    pub(super) instants: Instants,
}

/// Possible instants of a time.
#[derive(Clone, Copy)]
pub(super) enum Instants {
    Unambiguous(DateTime<FixedOffset>),
    /// Skipped by the clock: the instant as long after the change as it would have been without it.
    Gap(DateTime<FixedOffset>),
    /// Shown twice by the clock.
    Fold(DateTime<FixedOffset>, DateTime<FixedOffset>),
}

impl Instants {
    pub(super) fn iter(self) -> impl Iterator<Item = DateTime<FixedOffset>> {
        let (first, second) = match self {
            Self::Unambiguous(time) | Self::Gap(time) => (time, None),
            Self::Fold(first, second) => (first, Some(second)),
        };
        [Some(first), second].into_iter().flatten()
    }
}

impl Time {
    /// Parses a time, with an offset or in a time zone.
    pub(super) fn read(text: &str, zone: &TimeZone) -> Option<Self> {
        match local(text) {
            Some(local) => Some(Self {
                local: Some(local),
                instants: instants(local, zone)?,
            }),
            None => Some(Self {
                local: None,
                instants: Instants::Unambiguous(text.parse().ok()?),
            }),
        }
    }

    /// Returns whether the clock skipped it or showed it twice.
    pub(super) fn is_at_change(&self) -> bool {
        !matches!(self.instants, Instants::Unambiguous(_))
    }

    pub(super) fn is_skipped(&self) -> bool {
        matches!(self.instants, Instants::Gap(_))
    }

    pub(super) fn is_twice(&self) -> bool {
        matches!(self.instants, Instants::Fold(..))
    }
}

/// Returns whether an object contains a time without an offset.
pub(super) fn object_has_local(object: &ExactObject) -> bool {
    object.iter().any(|(_, member)| has_local(member))
}

fn has_local(value: &ExactValue) -> bool {
    match value {
        ExactValue::String(text) => local(text).is_some(),
        ExactValue::Array(values) => values.iter().any(has_local),
        ExactValue::Object(object) => object_has_local(object),
        _ => false,
    }
}

/// Returns whether a value has a member that defines the time zone of its times, in a provider's own way.
pub(super) fn names_its_zone(value: &ExactObject) -> bool {
    let names = ["timezone", "time_zone", "offset"];
    // The stages of a sleep cycle are relative to its start.
    let is_stage = |name: &str| name.starts_with("stage_") && name.ends_with("_offset_second");
    let names_zone = |name: &str| name == "tz" || names.iter().any(|part| name.contains(part)) && !is_stage(name);
    (value.iter()).any(|(name, member)| *member != ExactValue::Null && names_zone(&name.to_ascii_lowercase()))
}

/// Parses a time without an offset: `2026-03-29T02:30`, with or without seconds and their fractions, and with a space
/// for the T.
pub(super) fn local(text: &str) -> Option<NaiveDateTime> {
    let bytes = text.as_bytes();
    let separates = |at: usize, signs: &[u8]| bytes.get(at).is_some_and(|byte| signs.contains(byte));
    // The time parser accepts numbers of any length.
    let shaped = separates(4, b"-") && separates(7, b"-") && separates(10, b"T ") && separates(13, b":");
    if !shaped || !bytes[0].is_ascii_digit() {
        return None;
    }
    // It has an offset.
    if bytes[14..].iter().any(|byte| b"Zz+-".contains(byte)) {
        return None;
    }
    let mut text = text.replacen(' ', "T", 1);
    if text.len() == 16 {
        text.push_str(":00");
    }
    text.parse().ok()
}

fn instants(local: NaiveDateTime, zone: &TimeZone) -> Option<Instants> {
    Some(match offset(local, zone)? {
        AmbiguousOffset::Unambiguous { offset } => Instants::Unambiguous(at(local, offset, offset)?),
        AmbiguousOffset::Gap { before, after } => Instants::Gap(at(local, before, after)?),
        AmbiguousOffset::Fold { before, after } => Instants::Fold(at(local, before, before)?, at(local, after, after)?),
    })
}

fn offset(local: NaiveDateTime, zone: &TimeZone) -> Option<AmbiguousOffset> {
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
    Some(zone.to_ambiguous_timestamp(local.ok()?).offset())
}

/// Converts a local time of one offset to that of another one.
fn at(local: NaiveDateTime, offset: Offset, shown: Offset) -> Option<DateTime<FixedOffset>> {
    let time = FixedOffset::east_opt(offset.seconds())?
        .from_local_datetime(&local)
        .single()?;
    // Offsets had seconds once, and are written without: the instant stays, and the local time is some seconds earlier.
    let shown = FixedOffset::east_opt(shown.seconds() / 60 * 60)?;
    Some(time.with_timezone(&shown))
}
