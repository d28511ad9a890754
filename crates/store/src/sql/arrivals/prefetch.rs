//! Prefetches the rows that arrivals and records need. On a server, where each query is a round trip, that is most of the
//! time that a batch takes.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use wearlab_ingest::{ExactObject, Kept, StoredSummary, SummaryLookup, days_of_values, wants};
use wearlab_models::ResourceName;

use crate::sql::Transaction;
use crate::sql::data::samples::{Series, day_of};
use crate::sql::users::row::UserRow;
use crate::{Arrival, DataArrival, Ingestion, Record, StoreError, TeamId, ValidArrival};

impl Transaction<'_> {
    /// Prefetches the rows that the next arrivals need, in this order. Changes nothing, and rejects no arrival.
    ///
    /// Only arrivals of a day's data are prefetched: they change only rows that they prefetched themselves, or clear all
    /// prefetched rows. Each is used once. [Ingesting](Self::ingest) any other arrival clears them.
    pub fn prefetch<'v>(
        &self,
        arrivals: impl IntoIterator<Item = &'v ValidArrival>,
        ingestion: &Ingestion,
    ) -> Result<(), StoreError> {
        if !self.connection.can_prefetch() {
            return Ok(());
        }
        self.clear_prefetched();
        self.has_prefetched_arrivals.set(true);
        let (mut days, mut absent) = (Vec::new(), None);
        for arrival in arrivals {
            let Arrival::Data(data) = &**arrival else { continue };
            if data.pull.is_some() || absent == Some(data.team_id) {
                continue;
            }
            match self.require_team(arrival.team_id()) {
                Ok(team) => days.push((team, data)),
                Err(StoreError::Missing { .. }) => absent = Some(data.team_id),
                Err(error) => return Err(error),
            }
        }
        self.prefetch_users(days.iter().map(|(team, data)| (*team, data.user_id)).collect())?;
        days.into_iter()
            .try_for_each(|(team, data)| self.prefetch_day(team, data, ingestion))
    }

    /// Prefetches the rows that the next records need, in this order. Changes nothing, and rejects no record.
    ///
    /// Only users whose ids occur once are prefetched. No record of another kind changes them.
    pub fn prefetch_records<'r>(
        &self,
        records: impl IntoIterator<Item = &'r Record, IntoIter: Clone>,
    ) -> Result<(), StoreError> {
        if !self.connection.can_prefetch() {
            return Ok(());
        }
        self.clear_prefetched();
        let records = records.into_iter();
        let (mut ids, mut client_ids) = (HashMap::<_, usize>::new(), HashMap::<_, usize>::new());
        for record in records.clone() {
            if let Record::User(user) = record {
                *ids.entry((user.team_id, user.user_id)).or_default() += 1;
                *client_ids.entry((user.team_id, &*user.client_user_id)).or_default() += 1;
            }
        }
        for record in records {
            let (team_id, user_id) = match record {
                Record::User(user) => (user.team_id, user.user_id),
                Record::Connection(connection) => (connection.team_id, connection.user_id),
                Record::Device(device) => (device.team_id, device.device.user_id),
                _ => continue,
            };
            let team = match self.require_team(team_id) {
                Ok(team) => team,
                Err(StoreError::Missing { .. }) => continue,
                Err(error) => return Err(error),
            };
            match record {
                Record::User(user) => {
                    let is_single = ids.get(&(team_id, user_id)) == Some(&1)
                        && client_ids.get(&(team_id, &*user.client_user_id)) == Some(&1);
                    if is_single {
                        self.prefetch_put_user(team, user)?;
                    }
                }
                _ if ids.contains_key(&(team_id, user_id)) => {}
                _ => self.prefetch_user_row(team, user_id)?,
            }
        }
        Ok(())
    }

    /// Clears prefetched rows, which may be outdated.
    pub(crate) fn clear_prefetched(&self) {
        self.has_prefetched_arrivals.set(false);
        self.prefetched_users.take();
        self.connection.clear_prefetched();
    }

    /// Clears rows that were prefetched for arrivals, before a write that may change them.
    pub(crate) fn clear_prefetched_arrivals(&self) {
        if self.has_prefetched_arrivals.get() {
            self.clear_prefetched();
        }
    }

    fn prefetch_users(&self, users: BTreeSet<(TeamId, Uuid)>) -> Result<(), StoreError> {
        users
            .iter()
            .try_for_each(|(team, user_id)| self.prefetch_user(*team, *user_id))?;
        for (team, user_id) in users {
            let user = self.find_user(team, user_id)?;
            self.prefetched_users.borrow_mut().insert((team, user_id), user);
        }
        Ok(())
    }

    /// Prefetches the rows that an arrival of a day's data needs.
    fn prefetch_day(&self, team: TeamId, arrival: &DataArrival, ingestion: &Ingestion) -> Result<(), StoreError> {
        let Some(known) = self.user_with_available(team, arrival.user_id)? else {
            return Ok(());
        };
        let user_row = self.require_user_row(team, arrival.user_id)?;
        if let Some(id) = &arrival.arrival_id {
            self.prefetch_arrival_id(user_row, id)?;
        }
        let shows_details = ingestion.forms.source_details.holds(ingestion.now);
        if shows_details || !self.shows_available(team, &known, arrival) {
            self.prefetch_connection(user_row, &arrival.provider)?;
        }
        if !wants(&known.user, arrival.date) {
            return Ok(());
        }
        let series = Series::of(user_row, arrival);
        self.prefetch_days(&series, [&arrival.date])?;
        // An invalid arrival is rejected when it is ingested.
        let Ok(arrival) = arrival.with_offsets(&known.user) else {
            return Ok(());
        };
        let mut ids = Vec::new();
        let completed = arrival.completed(&known.user, ingestion.now, FirstIds(&mut ids));
        for id in ids {
            self.prefetch_summary(user_row, &arrival.resource, id)?;
        }
        match completed {
            Ok(completed) => {
                let days: BTreeSet<_> = days_of_values(&known.user, &completed).into_iter().collect();
                self.prefetch_days(&series, &days)?;
                self.prefetch_samples(user_row, &completed.arrival, &completed.kept)
            }
            Err(_) => Ok(()),
        }
    }

    fn prefetch_samples(&self, user_row: UserRow, arrival: &DataArrival, kept: &Kept) -> Result<(), StoreError> {
        let Kept::Samples(samples) = kept else { return Ok(()) };
        let series = Series::of(user_row, arrival);
        let days: BTreeSet<i64> = samples.iter().map(|sample| day_of(sample.time)).collect();
        days.into_iter().try_for_each(|day| self.prefetch_parts(&series, day))
    }
}

/// Collects the ids that the lookup of stored summaries begins with. It finds none.
struct FirstIds<'a>(&'a mut Vec<Uuid>);

impl SummaryLookup for FirstIds<'_> {
    type Error = StoreError;

    fn with_id(&mut self, _: &ResourceName, id: Uuid) -> Result<Option<(StoredSummary, ExactObject)>, StoreError> {
        self.0.push(id);
        Ok(None)
    }

    fn of_days(&mut self, _: &ResourceName, _: RangeInclusive<NaiveDate>) -> Result<Vec<StoredSummary>, StoreError> {
        Ok(Vec::new())
    }

    fn of_sessions(
        &mut self,
        _: &ResourceName,
        _: RangeInclusive<DateTime<Utc>>,
    ) -> Result<Vec<StoredSummary>, StoreError> {
        Ok(Vec::new())
    }

    fn of_provider_id(&mut self, _: &ResourceName, _: &str) -> Result<Vec<StoredSummary>, StoreError> {
        Ok(Vec::new())
    }
}
