//! Matching of the values of a line with stored summaries.

use std::collections::HashSet;

use uuid::Uuid;
use wearlab_models::ResourceName;

use super::candidates::{Candidates, days_around};
use super::identity::{Identity, Stored, StoredSummary, SummaryLookup};
use super::session::{SessionIndex, spans_of};
use super::summary::{Context, Draft, Summary};
use crate::{ExactObject, ExactValue, IngestError};

/// Matches the values of one line with stored summaries, of which it reads those near the days and times of the line
/// together.
pub(super) struct Matcher<'c, 'a, L> {
    context: &'c Context<'a>,
    lookup: L,
    candidates: Candidates,
    /// Sleeps that sleep cycles belong to.
    sleeps: SessionIndex,
    /// Ids of the other values of the line, and of those that they replace.
    taken: HashSet<Uuid>,
}

impl<'c, 'a, L: SummaryLookup> Matcher<'c, 'a, L> {
    pub(super) fn new(context: &'c Context<'a>, drafts: &[(usize, Draft)], mut lookup: L) -> Result<Self, L::Error> {
        let mut candidates = Candidates::default();
        let of_identity = |identity: Identity| {
            let summaries = drafts.iter().map(|(_, draft)| &draft.summary);
            summaries.filter(move |summary| summary.identity == identity && summary.has_candidates())
        };
        for days in days_around(of_identity(Identity::ByDay).map(|summary| summary.day)) {
            let stored = lookup.of_days(context.resource(), days)?;
            stored.into_iter().for_each(|stored| candidates.insert(stored));
        }
        for span in spans_of(of_identity(Identity::ByOverlap).filter_map(Summary::session)) {
            let stored = lookup.of_sessions(context.resource(), span)?;
            stored.into_iter().for_each(|stored| candidates.insert(stored));
        }
        let mut sleeps = SessionIndex::default();
        let of_sleeps = drafts.iter().filter(|(_, draft)| draft.derives_sleep);
        for span in spans_of(of_sleeps.filter_map(|(_, draft)| draft.summary.session())) {
            for sleep in lookup.of_sessions(&ResourceName::Sleep, span)? {
                if let Some(session) = sleep.session() {
                    sleeps.insert(sleep.id, session);
                }
            }
        }
        Ok(Self {
            context,
            lookup,
            candidates,
            sleeps,
            taken: drafts.iter().map(|(_, draft)| draft.summary.id).collect(),
        })
    }

    /// Finds the stored summary that a value matches, and completes the value by it.
    ///
    /// # Errors
    ///
    /// Returns an error if its id is that of a summary of another provider, or the store cannot be read.
    pub(super) fn identify(&mut self, place: usize, mut draft: Draft) -> Result<Draft, L::Error> {
        self.taken.remove(&draft.summary.id);
        let found = self.find(&mut draft.summary)?;
        if found.as_ref().is_some_and(|(found, _)| !found.is_of_provider) {
            let refused = IngestError::Refused {
                field: format!("data[{place}].id"),
                reason: "is the id of a summary of another provider of the user".to_owned(),
            };
            return Err(refused.into());
        }
        let summary = &draft.summary;
        self.taken.insert(summary.id);
        self.taken.extend(&summary.replaces);
        let text = |id: Uuid| ExactValue::String(id.to_string());
        if summary.identity != Identity::ById {
            draft.value.insert("id", text(summary.id));
        }
        if draft.derives_sleep {
            let earlier = found.as_ref().and_then(|(_, document)| document.get("sleep_id"));
            let earlier = match earlier {
                Some(ExactValue::String(id)) => Uuid::parse_str(id).ok(),
                _ => None,
            };
            if let Some(sleep) = self.sleep_of(summary, earlier).or(earlier) {
                draft.value.insert("sleep_id", text(sleep));
            }
        }
        let Some((found, document)) = found else {
            return Ok(draft);
        };
        let is_in_place = found.is_of_source && found.day == summary.day;
        draft.summary.moves |= !is_in_place;
        let (value, is_unchanged) = self.context.corrected(&document, draft.value);
        draft.value = value;
        draft.summary.stored = match is_unchanged && is_in_place {
            true => Stored::Unchanged,
            false => Stored::Changed,
        };
        Ok(draft)
    }

    /// Returns the stored summary that one matches, if any, and records its id and those that it replaces. A new one
    /// gets a unique id.
    fn find(&mut self, summary: &mut Summary) -> Result<Option<(StoredSummary, ExactObject)>, L::Error> {
        let with_id = self.lookup.with_id(self.context.resource(), summary.id)?;
        if !summary.has_candidates() {
            return Ok(with_id);
        }
        let (with_id, document) = with_id.unzip();
        if let Some(stored) = with_id {
            self.candidates.insert(stored);
        }
        if let Some(id) = &summary.provider_id {
            let stored = self.lookup.of_provider_id(self.context.resource(), id)?;
            stored.into_iter().for_each(|stored| self.candidates.insert(stored));
        }
        let found = self.candidates.matching(summary, &self.taken);
        let Some((best, others)) = found.split_first() else {
            let is_used = self.candidates.contains(summary.id);
            return if is_used { self.find_numbered(summary) } else { Ok(None) };
        };
        let is_replaced = |other: &&&StoredSummary| other.provider_id.is_none() && summary.overlap(other).is_some();
        let replaced: Vec<_> = others.iter().filter(is_replaced).collect();
        summary.moves = replaced.iter().any(|other| other.day != summary.day);
        summary.replaces = replaced.into_iter().map(|other| other.id).collect();
        let best = (*best).clone();
        let document = match document.filter(|_| best.id == summary.id) {
            Some(document) => Some(document),
            None => self
                .lookup
                .with_id(self.context.resource(), best.id)?
                .map(|(_, document)| document),
        };
        summary.id = best.id;
        Ok(document.map(|document| (best, document)))
    }

    /// Gives a summary an id of its own if another one has the first derived id.
    fn find_numbered(&mut self, summary: &mut Summary) -> Result<Option<(StoredSummary, ExactObject)>, L::Error> {
        for number in 0..=u32::MAX {
            let id = self.context.numbered_id(summary, number);
            if self.taken.contains(&id) || self.candidates.contains(id) {
                continue;
            }
            let found = self.lookup.with_id(self.context.resource(), id)?;
            // It may be the same one, stored with a distant day.
            if found.as_ref().is_none_or(|(stored, _)| summary.may_be(stored)) {
                summary.id = id;
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the id of the stored sleep of a cycle: the earlier one, if it is stored, or the one that it overlaps longest.
    fn sleep_of(&self, cycle: &Summary, earlier: Option<Uuid>) -> Option<Uuid> {
        let sleeps = self.sleeps.overlapping(cycle.session()?);
        let best = sleeps.max_by_key(|(id, overlap)| (Some(*id) == earlier, *overlap, *id));
        best.map(|(id, _)| id)
    }
}
