//! Sessions of summaries, and an index of them by their start.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

/// Session of a summary. Without an end, it is in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Session {
    pub(super) start: DateTime<Utc>,
    pub(super) end: Option<DateTime<Utc>>,
}

impl Session {
    pub(super) fn of(start: Option<DateTime<Utc>>, end: Option<DateTime<Utc>>) -> Option<Self> {
        start.map(|start| Self { start, end })
    }

    pub(super) fn is_open(self) -> bool {
        self.end.is_none()
    }

    /// Returns how long two sessions overlap. Those with the same start do. One without an end overlaps no others.
    pub(super) fn overlap(self, other: Self) -> Option<TimeDelta> {
        let [end, other_end] = [self.end, other.end].map(|end| end.unwrap_or(DateTime::<Utc>::MAX_UTC));
        let (start, end) = (self.start.max(other.start), end.min(other_end));
        let is_within = start < end && !self.is_open() && !other.is_open();
        (is_within || self.start == other.start).then(|| end - start)
    }
}

/// Sessions by their start.
#[derive(Default)]
pub(super) struct SessionIndex {
    sessions: BTreeMap<(DateTime<Utc>, Uuid), Session>,
    /// Length of the longest one that has an end.
    longest: TimeDelta,
}

impl SessionIndex {
    pub(super) fn insert(&mut self, id: Uuid, session: Session) {
        if let Some(end) = session.end {
            self.longest = self.longest.max(end - session.start);
        }
        self.sessions.insert((session.start, id), session);
    }

    /// Returns the sessions that overlap one, and how long each does.
    pub(super) fn overlapping(&self, session: Session) -> impl Iterator<Item = (Uuid, TimeDelta)> {
        let first = session.start.checked_sub_signed(self.longest);
        let first = first.unwrap_or(DateTime::<Utc>::MIN_UTC).min(session.start);
        let last = session.end.unwrap_or(session.start).max(session.start);
        let near = self.sessions.range((first, Uuid::nil())..=(last, Uuid::max()));
        near.filter_map(move |((_, id), other)| Some((*id, session.overlap(*other)?)))
    }
}

/// Returns the spans of time of some sessions. Those that are less than a day apart have one.
pub(super) fn spans_of(sessions: impl Iterator<Item = Session>) -> Vec<RangeInclusive<DateTime<Utc>>> {
    let mut sessions: Vec<_> = sessions.collect();
    sessions.sort_by_key(|session| session.start);
    let mut spans: Vec<RangeInclusive<DateTime<Utc>>> = Vec::new();
    for Session { start, end } in sessions {
        let end = end.unwrap_or(start).max(start);
        match spans.last_mut() {
            Some(span) if start - *span.end() < TimeDelta::days(1) => *span = *span.start()..=end.max(*span.end()),
            _ => spans.push(start..=end),
        }
    }
    spans
}
