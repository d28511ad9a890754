//! Identity of summaries: which values of a line are the same summary, and which stored one each of them is.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use uuid::{Uuid, Version};

use super::corrected;
use super::summary::{Context, Draft, Summary};
use crate::{ExactObject, ExactValue, IngestError};

/// What tells a summary from others of its user, provider, source and resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Its own `id` or `provider_id`; or that a user has one alone.
    Own,
    /// The night: it is the stored one that it overlaps.
    Night,
    /// The day; of several of a day that have a `provider_id`, or a start, these.
    Day,
    /// The start; without one, the day.
    Start,
}

/// Whether a summary is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is not.
    No,
    /// It is, as it is now.
    Same,
    /// It is, and says something else.
    Otherwise,
}

/// A summary that is stored.
pub struct StoredSummary {
    /// Its id.
    pub id: Uuid,
    /// The day that it belongs to.
    pub day: NaiveDate,
    /// When its session began, where it is of one.
    pub start: Option<DateTime<Utc>>,
    /// When its session ended, where it is of one.
    pub end: Option<DateTime<Utc>>,
    /// Whether it is of the provider of the arrival.
    pub is_of_provider: bool,
    /// Whether it is of the source of the arrival, too.
    pub is_of_source: bool,
    /// What reads show.
    pub document: ExactObject,
}

impl StoredSummary {
    /// Whether its id was derived from its day or times. Such ids are of version 5.
    fn is_derived(&self) -> bool {
        self.is_of_source && self.id.get_version() == Some(Version::Sha1)
    }

    fn provider_id(&self) -> Option<&str> {
        match self.document.get("provider_id") {
            Some(ExactValue::String(id)) => Some(id),
            _ => None,
        }
    }
}

impl Summary {
    /// Whether it may be a stored summary of another id: one of its source, with the same day or the one before or after.
    pub fn has_neighbours(&self) -> bool {
        match self.identity {
            Identity::Night => true,
            Identity::Day => self.start.is_some() || self.provider_id.is_some(),
            Identity::Own | Identity::Start => false,
        }
    }

    fn span(&self) -> Option<Span> {
        Span::of(self.start, self.end)
    }
}

/// A session. Without an end, it goes on.
#[derive(Clone, Copy)]
struct Span(DateTime<Utc>, DateTime<Utc>);

impl Span {
    fn of(start: Option<DateTime<Utc>>, end: Option<DateTime<Utc>>) -> Option<Self> {
        start.map(|start| Self(start, end.unwrap_or(DateTime::<Utc>::MAX_UTC)))
    }

    /// Whether its end is not known yet.
    fn is_open(self) -> bool {
        self.1 == DateTime::<Utc>::MAX_UTC
    }

    /// How long two sessions overlap. Those that begin together do.
    fn overlap(self, other: Self) -> Option<TimeDelta> {
        let (start, end) = (self.0.max(other.0), self.1.min(other.1));
        (start < end || self.0 == other.0).then(|| end - start)
    }
}

/// Whether two summaries of a day are different ones, by their ids at the provider, or their times.
fn are_apart((a, a_id): (Option<Span>, Option<&str>), (b, b_id): (Option<Span>, Option<&str>)) -> bool {
    match ((a_id, b_id), (a, b)) {
        ((Some(a), Some(b)), _) => a != b,
        // One whose end never came says nothing of when it ended.
        (_, (Some(a), Some(b))) if a.is_open() || b.is_open() => a.0 != b.0,
        (_, (Some(a), Some(b))) => a.overlap(b).is_none(),
        _ => false,
    }
}

impl Context<'_> {
    /// Leaves one of the values of a line that are the same summary, the last one. Returns the places that are left.
    ///
    /// # Errors
    ///
    /// Where nothing shows which of two values counts.
    pub(super) fn one_each(&self, drafts: Vec<Draft>) -> Result<Vec<(usize, Draft)>, IngestError> {
        let mut left: Vec<Option<Draft>> = Vec::with_capacity(drafts.len());
        let mut by_id: HashMap<Uuid, usize> = HashMap::new();
        for (place, mut draft) in drafts.into_iter().enumerate() {
            let key = |draft: &Draft| (draft.summary.span(), draft.summary.provider_id.clone());
            let (span, provider_id) = key(&draft);
            let is_apart = |other: usize| {
                let other = left.get(other).and_then(Option::as_ref).map(key);
                other.is_some_and(|(other, other_id)| {
                    are_apart((span, provider_id.as_deref()), (other, other_id.as_deref()))
                })
            };
            let mut found = by_id.get(&draft.summary.id).copied();
            if draft.summary.identity == Identity::Day && found.is_some_and(is_apart) {
                draft.summary.id = self.other_id(&draft.summary, 0);
                found = by_id.get(&draft.summary.id).copied();
            }
            if let Some(first) = found {
                let is_same = |other: &Draft| other.value == draft.value;
                let is_repeated = left.get(first).and_then(Option::as_ref).is_some_and(is_same);
                if draft.summary.identity != Identity::Own && !is_repeated {
                    return Err(ambiguous(&draft.summary, first, place));
                }
                if let Some(replaced) = left.get_mut(first) {
                    *replaced = None;
                }
            }
            by_id.insert(draft.summary.id, place);
            left.push(Some(draft));
        }
        let left = left.into_iter().enumerate();
        let left: Vec<_> = left.filter_map(|(place, draft)| Some((place, draft?))).collect();
        let mut nights: Vec<_> = left
            .iter()
            .filter(|(_, draft)| draft.summary.identity == Identity::Night)
            .filter_map(|(place, draft)| Some((draft.summary.span()?, *place, &draft.summary)))
            .collect();
        nights.sort_by_key(|(span, ..)| span.0);
        let mut latest: Option<(Span, usize)> = None;
        for (span, place, night) in nights {
            if let Some((before, first)) = latest
                && before.overlap(span).is_some()
            {
                return Err(ambiguous(night, first.min(place), first.max(place)));
            }
            latest = Some((span, place));
        }
        Ok(left)
    }

    /// Finds the stored summary that a value is, and completes the value by it. `taken` are the ids that other values of the
    /// line have.
    ///
    /// # Errors
    ///
    /// Where its id is that of a summary of another provider.
    pub(super) fn identify(
        &self,
        place: usize,
        mut draft: Draft,
        mut stored: Vec<StoredSummary>,
        taken: &HashSet<Uuid>,
    ) -> Result<Draft, IngestError> {
        stored.retain(|stored| !taken.contains(&stored.id));
        let found = self.find(&mut draft.summary, stored, taken);
        if let Some(found) = &found {
            if !found.is_of_provider {
                return Err(IngestError::Refused {
                    field: format!("data[{place}].id"),
                    reason: "is the id of a summary of another provider of the user".to_owned(),
                });
            }
            draft.summary.id = found.id;
        }
        if draft.summary.identity != Identity::Own {
            draft
                .value
                .insert("id", ExactValue::String(draft.summary.id.to_string()));
        }
        let Some(found) = found else { return Ok(draft) };
        if draft.derives_sleep
            && let Some(sleep) = found.document.get("sleep_id")
        {
            draft.value.insert("sleep_id", sleep.clone());
        }
        let is_in_place = found.is_of_source && found.day == draft.summary.day;
        let (value, says_the_same) = corrected(found.document, draft.value);
        draft.value = value;
        draft.summary.stored = match says_the_same && is_in_place {
            true => Stored::Same,
            false => Stored::Otherwise,
        };
        Ok(draft)
    }

    /// The stored summary that one is, if any. What else it replaces, and another id where its own is that of another one, are
    /// noted in it.
    fn find(
        &self,
        summary: &mut Summary,
        mut stored: Vec<StoredSummary>,
        taken: &HashSet<Uuid>,
    ) -> Option<StoredSummary> {
        if !summary.has_neighbours() {
            return stored.into_iter().find(|stored| stored.id == summary.id);
        }
        let (span, provider_id) = (summary.span(), summary.provider_id.as_deref());
        let overlap = |stored: &StoredSummary| span?.overlap(Span::of(stored.start, stored.end)?);
        let is_it = |stored: &StoredSummary| match summary.identity {
            Identity::Night => stored.provider_id().is_none() && overlap(stored).is_some(),
            _ => {
                let other = (Span::of(stored.start, stored.end), stored.provider_id());
                let is_same = provider_id.is_some() && stored.provider_id() == provider_id;
                is_same || stored.day == summary.day && !are_apart((span, provider_id), other)
            }
        };
        let is_taken = |id: Uuid, stored: &[StoredSummary]| stored.iter().any(|stored| stored.id == id);
        let order = |stored: &StoredSummary| {
            let is_same = provider_id.is_some() && stored.provider_id() == provider_id;
            (is_same, overlap(stored), stored.id == summary.id)
        };
        let candidates = stored
            .iter()
            .enumerate()
            .filter(|(_, stored)| stored.is_derived() && is_it(stored));
        let mut candidates: Vec<_> = candidates.map(|(at, stored)| (order(stored), at)).collect();
        candidates.sort_unstable();
        let Some((_, best)) = candidates.pop() else {
            if is_taken(summary.id, &stored) {
                let ids = (0..=u32::MAX).map(|number| self.other_id(summary, number));
                let mut unused = ids.filter(|id| !is_taken(*id, &stored) && !taken.contains(id));
                summary.id = unused.next().unwrap_or(summary.id);
            }
            return None;
        };
        if summary.identity == Identity::Night {
            let others = candidates.iter().filter_map(|(_, at)| stored.get(*at));
            summary.replaces = others.map(|stored| stored.id).collect();
        }
        Some(stored.swap_remove(best))
    }
}

/// Two values of which nothing shows whether they are one summary.
fn ambiguous(summary: &Summary, first: usize, second: usize) -> IngestError {
    let reason = match summary.identity {
        Identity::Night => format!("overlaps data[{first}], and neither has an id: give each its id or provider_id"),
        Identity::Day => format!(
            "is of the same day as data[{first}]: give each its id or provider_id, or a start and an end that do not overlap"
        ),
        Identity::Own | Identity::Start => {
            format!("begins when data[{first}] does, and neither has an id: give each its id or provider_id")
        }
    };
    IngestError::Refused {
        field: format!("data[{second}]"),
        reason,
    }
}
