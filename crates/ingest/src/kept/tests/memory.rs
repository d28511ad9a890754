//! In-memory store of summaries.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::Value;
use uuid::Uuid;
use wearlab_models::ResourceName;

use super::super::{Completed, Kept, Stored, StoredSummary, Summary, SummaryLookup};
use super::{arrival_of, at, user};
use crate::{ExactObject, IngestError};

/// Summaries of one provider and source, and counts of the lookups.
#[derive(Default)]
pub(super) struct Memory {
    summaries: BTreeMap<(String, Uuid), (StoredSummary, ExactObject)>,
    /// Number of lookups by an id.
    pub(super) ids: usize,
    /// Number of lookups by some days or by a span of time.
    pub(super) reads: usize,
    /// Number of summaries that these returned.
    pub(super) rows: usize,
}

impl Memory {
    pub(super) fn put(&mut self, resource: &ResourceName, summary: &Summary, document: &ExactObject) {
        let text = serde_json::to_string(document).expect("JSON");
        let stored = StoredSummary {
            id: summary.id,
            day: summary.day,
            start: summary.start,
            end: summary.end,
            provider_id: StoredSummary::provider_id_of(&text),
            is_of_provider: true,
            is_of_source: true,
            has_derived_id: summary.has_derived_id,
        };
        let key = |id: Uuid| (resource.as_str().to_owned(), id);
        for replaced in &summary.replaces {
            self.summaries.remove(&key(*replaced));
        }
        self.summaries.insert(key(summary.id), (stored, document.clone()));
    }

    fn read(&mut self, resource: &ResourceName, is_read: impl Fn(&StoredSummary) -> bool) -> Vec<StoredSummary> {
        self.reads += 1;
        let of_resource = self.summaries.iter().filter(|((of, _), _)| of == resource.as_str());
        let stored = of_resource.map(|(_, (stored, _))| stored);
        let found: Vec<_> = stored.filter(|stored| is_read(stored)).cloned().collect();
        self.rows += found.len();
        found
    }

    /// Ingests a line. Returns the states of its values.
    pub(super) fn take(&mut self, resource: &str, values: &[Value]) -> Result<Vec<Stored>, IngestError> {
        let user = user();
        let arrival = arrival_of(resource, values).expect("is valid");
        let arrival = arrival.with_offsets(&user).expect("a time zone");
        let completed = arrival.completed(&user, at("2026-06-01T00:00:00Z"), &mut *self)?;
        let Completed { arrival, kept, .. } = completed;
        let Kept::Summaries(summaries) = kept else {
            panic!("summaries")
        };
        for (summary, value) in summaries.iter().zip(&arrival.data) {
            self.put(&arrival.resource, summary, value);
        }
        Ok(summaries.into_iter().map(|summary| summary.stored).collect())
    }

    /// Returns a member of the documents of a resource, in the order of their starts.
    pub(super) fn members(&self, resource: &str, name: &str) -> Vec<Value> {
        let of_resource = self.summaries.iter().filter(|((of, _), _)| of == resource);
        let mut found: Vec<_> = of_resource
            .map(|(_, (stored, document))| (stored.start, document))
            .collect();
        found.sort_by_key(|(start, _)| *start);
        let value = |document: &ExactObject| serde_json::to_value(document).expect("JSON")[name].clone();
        found.into_iter().map(|(_, document)| value(document)).collect()
    }
}

impl SummaryLookup for &mut Memory {
    type Error = IngestError;

    fn with_id(
        &mut self,
        resource: &ResourceName,
        id: Uuid,
    ) -> Result<Option<(StoredSummary, ExactObject)>, IngestError> {
        self.ids += 1;
        Ok(self.summaries.get(&(resource.as_str().to_owned(), id)).cloned())
    }

    fn of_days(
        &mut self,
        resource: &ResourceName,
        days: RangeInclusive<NaiveDate>,
    ) -> Result<Vec<StoredSummary>, IngestError> {
        Ok(self.read(resource, |stored| days.contains(&stored.day)))
    }

    fn of_sessions(
        &mut self,
        resource: &ResourceName,
        span: RangeInclusive<DateTime<Utc>>,
    ) -> Result<Vec<StoredSummary>, IngestError> {
        let overlaps = |stored: &StoredSummary| stored.start <= Some(*span.end()) && stored.end >= Some(*span.start());
        Ok(self.read(resource, overlaps))
    }

    fn of_provider_id(&mut self, resource: &ResourceName, id: &str) -> Result<Vec<StoredSummary>, IngestError> {
        self.ids += 1;
        let of_resource = self.summaries.iter().filter(|((of, _), _)| of == resource.as_str());
        let stored = of_resource.map(|(_, (stored, _))| stored);
        Ok(stored
            .filter(|stored| stored.provider_id.as_deref() == Some(id))
            .cloned()
            .collect())
    }
}
