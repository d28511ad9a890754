//! What arrivals and records need to know, asked for many of them at once: where each question is a round trip to a server,
//! these are most of what it takes to write them.

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
    /// Prepares for arrivals that are taken next, in this order. Whatever they are, this changes nothing, and refuses none.
    ///
    /// Answers are as of now. Only arrivals of a day's data are asked for: they change no more than what they asked for
    /// themselves, or forget all answers, and each answer is good for once. [Taking](Self::ingest) any other arrival forgets the answers.
    pub fn look_ahead<'v>(
        &self,
        arrivals: impl IntoIterator<Item = &'v ValidArrival>,
        ingestion: &Ingestion,
    ) -> Result<(), StoreError> {
        if !self.connection.asks_ahead() {
            return Ok(());
        }
        self.forget_answers();
        self.asked_for_arrivals.set(true);
        let (mut days, mut absent) = (Vec::new(), None);
        for arrival in arrivals {
            let Arrival::Data(data) = &**arrival else { continue };
            if data.pull.is_some() || absent == Some(data.team_id) {
                continue;
            }
            match self.known_team(arrival.team_id()) {
                Ok(team) => days.push((team, data)),
                Err(StoreError::Missing { .. }) => absent = Some(data.team_id),
                Err(error) => return Err(error),
            }
        }
        self.read_users_ahead(days.iter().map(|(team, data)| (*team, data.user_id)).collect())?;
        days.into_iter()
            .try_for_each(|(team, data)| self.ask_for_day(team, data, ingestion))
    }

    /// Prepares for records that are put next, in this order. Whatever they are, this changes nothing, and refuses none.
    ///
    /// Answers are as of now. Only users whose ids come once are asked for, and no record of another kind changes them.
    pub fn look_ahead_to_records<'r>(
        &self,
        records: impl IntoIterator<Item = &'r Record, IntoIter: Clone>,
    ) -> Result<(), StoreError> {
        if !self.connection.asks_ahead() {
            return Ok(());
        }
        self.forget_answers();
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
            let team = match self.known_team(team_id) {
                Ok(team) => team,
                Err(StoreError::Missing { .. }) => continue,
                Err(error) => return Err(error),
            };
            match record {
                Record::User(user) => {
                    let is_single = ids.get(&(team_id, user_id)) == Some(&1)
                        && client_ids.get(&(team_id, &*user.client_user_id)) == Some(&1);
                    if is_single {
                        self.ask_for_user(team, user)?;
                    }
                }
                _ if ids.contains_key(&(team_id, user_id)) => {}
                _ => self.ask_user_row(team, user_id)?,
            }
        }
        Ok(())
    }

    /// Forgets what was asked: it may hold no longer.
    pub(crate) fn forget_answers(&self) {
        self.asked_for_arrivals.set(false);
        self.users_ahead.take();
        self.connection.forget_asked();
    }

    /// Forgets what was asked for arrivals, which what is put may change.
    pub(crate) fn forget_answers_for_arrivals(&self) {
        if self.asked_for_arrivals.get() {
            self.forget_answers();
        }
    }

    fn read_users_ahead(&self, users: BTreeSet<(TeamId, Uuid)>) -> Result<(), StoreError> {
        users
            .iter()
            .try_for_each(|(team, user_id)| self.ask_user(*team, *user_id))?;
        for (team, user_id) in users {
            let user = self.find_user(team, user_id)?;
            self.users_ahead.borrow_mut().insert((team, user_id), user);
        }
        Ok(())
    }

    /// Asks what the arrival of a day's data will.
    fn ask_for_day(&self, team: TeamId, arrival: &DataArrival, ingestion: &Ingestion) -> Result<(), StoreError> {
        let Some(known) = self.user_with_available(team, arrival.user_id)? else {
            return Ok(());
        };
        let user_row = self.known_user_row(team, arrival.user_id)?;
        if let Some(id) = &arrival.arrival_id {
            self.ask_arrival(user_row, id)?;
        }
        let shows_details = ingestion.forms.source_details.holds(ingestion.now);
        if shows_details || !self.shows_available(team, &known, arrival) {
            self.ask_connection(user_row, &arrival.provider)?;
        }
        if !wants(&known.user, arrival.date) {
            return Ok(());
        }
        let series = Series::of(user_row, arrival);
        self.ask_days(&series, [&arrival.date])?;
        // What is wrong with an arrival is said when it is taken.
        let Ok(arrival) = arrival.with_offsets(&known.user) else {
            return Ok(());
        };
        let mut ids = Vec::new();
        let completed = arrival.completed(&known.user, ingestion.now, FirstIds(&mut ids));
        for id in ids {
            self.ask_summary(user_row, &arrival.resource, id)?;
        }
        match completed {
            Ok(completed) => {
                let days: BTreeSet<_> = days_of_values(&known.user, &completed).into_iter().collect();
                self.ask_days(&series, &days)?;
                self.ask_for_samples(user_row, &completed.arrival, &completed.kept)
            }
            Err(_) => Ok(()),
        }
    }

    fn ask_for_samples(&self, user_row: UserRow, arrival: &DataArrival, kept: &Kept) -> Result<(), StoreError> {
        let Kept::Samples(samples) = kept else { return Ok(()) };
        let series = Series::of(user_row, arrival);
        let days: BTreeSet<i64> = samples.iter().map(|sample| day_of(sample.time)).collect();
        days.into_iter().try_for_each(|day| self.ask_parts(&series, day))
    }
}

/// Ids that the lookup of stored summaries begins with. It finds none.
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
