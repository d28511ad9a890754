//! Index of the stored summaries that a line's values may match.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

use chrono::{NaiveDate, TimeDelta};
use uuid::Uuid;

use super::identity::{Identity, StoredSummary, is_distinct};
use super::session::{Session, SessionIndex};
use super::summary::Summary;

/// Stored summaries, by id, provider id and time.
#[derive(Default)]
pub(super) struct Candidates {
    summaries: HashMap<Uuid, StoredSummary>,
    by_provider_id: HashMap<String, Vec<Uuid>>,
    with_provider_id: Group,
    without_provider_id: Group,
}

/// Group of summaries, by time.
#[derive(Default)]
struct Group {
    sessions: SessionIndex,
    by_day: HashMap<NaiveDate, Vec<Uuid>>,
    /// Summaries without a session.
    untimed: HashMap<NaiveDate, Vec<Uuid>>,
}

impl Candidates {
    pub(super) fn contains(&self, id: Uuid) -> bool {
        self.summaries.contains_key(&id)
    }

    /// Adds a summary. One whose id was sent matches by that id alone.
    pub(super) fn insert(&mut self, stored: StoredSummary) {
        if stored.is_of_source && stored.has_derived_id && !self.contains(stored.id) {
            let group = match &stored.provider_id {
                Some(id) => {
                    self.by_provider_id.entry(id.clone()).or_default().push(stored.id);
                    &mut self.with_provider_id
                }
                None => &mut self.without_provider_id,
            };
            group.insert(&stored);
        }
        self.summaries.entry(stored.id).or_insert(stored);
    }

    /// Returns the summaries that may match one, the best first. Those in `taken` are excluded.
    pub(super) fn matching(&self, summary: &Summary, taken: &HashSet<Uuid>) -> Vec<&StoredSummary> {
        let (session, provider_id) = (summary.session(), summary.provider_id.as_deref());
        let mut ids = vec![summary.id];
        match (summary.identity, provider_id) {
            (Identity::ByDay, None) => {
                ids.extend(self.without_provider_id.near(summary.day, session));
                ids.extend(self.with_provider_id.near(summary.day, session));
            }
            (Identity::ByDay, Some(id)) => {
                ids.extend(self.without_provider_id.near(summary.day, session));
                ids.extend(self.by_provider_id.get(id).into_iter().flatten());
            }
            (Identity::ByOverlap, _) => {
                let sessions = &self.without_provider_id.sessions;
                ids.extend(
                    session
                        .iter()
                        .flat_map(|session| sessions.overlapping(*session))
                        .map(|(id, _)| id),
                );
            }
            (Identity::ById | Identity::ByStart, _) => {}
        }
        let ids: BTreeSet<Uuid> = ids.into_iter().filter(|id| !taken.contains(id)).collect();
        let found = ids.iter().filter_map(|id| self.summaries.get(id));
        let mut found: Vec<_> = found.filter(|stored| summary.may_be(stored)).collect();
        found.sort_by_key(|stored| {
            let is_same = provider_id.is_some() && stored.provider_id.as_deref() == provider_id;
            let overlap = summary.overlap(stored);
            Reverse((is_same, overlap, stored.id == summary.id, stored.day, stored.id))
        });
        found
    }
}

impl Group {
    fn insert(&mut self, stored: &StoredSummary) {
        self.by_day.entry(stored.day).or_default().push(stored.id);
        match stored.session() {
            Some(session) => self.sessions.insert(stored.id, session),
            None => self.untimed.entry(stored.day).or_default().push(stored.id),
        }
    }

    /// Returns those that overlap a session, and those of a day that have none. Without a session, all of the day.
    fn near(&self, day: NaiveDate, session: Option<Session>) -> Vec<Uuid> {
        let of_day = match session {
            Some(_) => self.untimed.get(&day),
            None => self.by_day.get(&day),
        };
        let overlapping = session
            .into_iter()
            .flat_map(|session| self.sessions.overlapping(session));
        let overlapping = overlapping.map(|(id, _)| id);
        overlapping.chain(of_day.into_iter().flatten().copied()).collect()
    }
}

impl Summary {
    /// Returns how long its session overlaps that of a stored one.
    pub(super) fn overlap(&self, stored: &StoredSummary) -> Option<TimeDelta> {
        self.session()?.overlap(stored.session()?)
    }

    /// Returns whether it may match a stored one.
    pub(super) fn may_be(&self, stored: &StoredSummary) -> bool {
        let is_derived = stored.is_of_source && (stored.has_derived_id || stored.id == self.id);
        let (provider_id, stored_id) = (self.provider_id.as_deref(), stored.provider_id.as_deref());
        is_derived
            && match self.identity {
                Identity::ByOverlap => stored_id.is_none() && self.overlap(stored).is_some(),
                _ => {
                    let is_same = provider_id.is_some() && stored_id == provider_id;
                    let other = (stored.session(), stored_id);
                    is_same || stored.day == self.day && !is_distinct((self.session(), provider_id), other)
                }
            }
    }
}

/// Returns some days and those next to each, as ranges.
pub(super) fn days_around(days: impl IntoIterator<Item = NaiveDate>) -> Vec<RangeInclusive<NaiveDate>> {
    let days: BTreeSet<NaiveDate> = days.into_iter().collect();
    let mut ranges: Vec<RangeInclusive<NaiveDate>> = Vec::new();
    for day in days {
        let [first, last] = [day.pred_opt(), day.succ_opt()].map(|next| next.unwrap_or(day));
        match ranges.last_mut() {
            Some(range) if first <= range.end().succ_opt().unwrap_or(NaiveDate::MAX) => {
                *range = *range.start()..=last;
            }
            _ => ranges.push(first..=last),
        }
    }
    ranges
}
