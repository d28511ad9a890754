//! Ingestion of arrivals: their writes and their events, in one transaction.

use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use wearlab_models::{
    ConnectedProvider, ConnectionStatus, ResourceAvailability, ResourceAvailabilityStatus, ScopeRequirements, ScopeSet,
    User,
};

use crate::sql::Transaction;
use crate::sql::data::samples::Series;
use crate::sql::document::{decode, encode};
use crate::sql::users::row::UserRow;
use crate::{
    Arrival, ConnectionFailed, ConnectionMade, DataArrival, ExactObject, Ingested, Ingestion, StoreError, TeamId,
    ValidArrival,
};
use wearlab_ingest::{Completed, Kept, payload};

impl Transaction<'_> {
    /// Takes an arrival: its changes and its events are stored together.
    ///
    /// A repeated arrival changes and causes nothing. One that fails may have written a part: if the
    /// transaction continues, take it within an [attempt](Self::attempt).
    pub fn ingest(&self, arrival: &ValidArrival, ingestion: &Ingestion) -> Result<Ingested, StoreError> {
        if !matches!(&**arrival, Arrival::Data(DataArrival { pull: None, .. })) {
            self.clear_prefetched();
        }
        let team = self.require_team(arrival.team_id())?;
        let known = self.user_with_available(team, arrival.user_id())?;
        let known = known.ok_or(StoreError::Missing { what: "user" })?;
        let user = &known.user;
        let user_row = self.require_user_row(team, user.user_id)?;
        if let Some(id) = arrival.arrival_id()
            && !self.remember(user_row, id, ingestion.now)?
        {
            return Ok(Ingested::Duplicate);
        }
        let outcome = match &**arrival {
            Arrival::Data(data) => self.data(team, &known, data, arrival.values_hash(), ingestion)?,
            Arrival::DataDeleted(deleted) => self.data_deleted(team, user, deleted, ingestion)?,
            Arrival::ConnectionMade(made) => self.connection_made(team, user, made, ingestion)?,
            Arrival::ConnectionFailed(failed) => self.connection_failed(team, user, failed, ingestion)?,
            Arrival::ConnectionEnded(ended) => {
                self.changed(|| self.delete_connection(team, ended.user_id, &ended.provider).map(drop))?
            }
            Arrival::Device(seen) => {
                self.check_device_count(team, &seen.device)?;
                self.changed(|| self.put_device(team, &seen.device))?
            }
            Arrival::LabOrderUpdated(updated) => self.order_updated(team, user, updated, ingestion)?,
            Arrival::LabResult(report) => self.report_results(team, user, report, ingestion)?,
        };
        match (arrival.arrival_id(), &outcome) {
            // A dropped arrival is taken when it is repeated and the user no longer excludes it.
            (Some(id), Ingested::OutOfBounds) => self.forget_arrival(user_row, id)?,
            (Some(_), _) => self.count_remembered(ingestion.now),
            (None, _) => {}
        }
        Ok(outcome)
    }

    /// An arrival whose values are completed by stored ones.
    pub(crate) fn completed<'a>(
        &self,
        user_row: UserRow,
        user: &User,
        arrival: &'a DataArrival,
        ingestion: &Ingestion,
    ) -> Result<Completed<'a>, StoreError> {
        arrival.completed(user, ingestion.now, self.stored_summaries(user_row, arrival)?)
    }

    /// Appends an event for each replaced summary. Returns their number.
    pub(crate) fn emit_replaced(
        &self,
        team: TeamId,
        user: &User,
        completed: &Completed<'_>,
        is_wanted: impl Fn(usize) -> bool,
        ingestion: &Ingestion,
    ) -> Result<i64, StoreError> {
        let Kept::Summaries(summaries) = &completed.kept else {
            return Ok(0);
        };
        let arrival = &*completed.arrival;
        let wanted = summaries.iter().enumerate().filter(|(index, _)| is_wanted(*index));
        let mut events = 0;
        for id in wanted.flat_map(|(_, summary)| &summary.replaces) {
            let deleted: ExactObject = decode("deletion", &json!({"id": id}).to_string())?;
            let details = match ingestion.forms.source_details.holds(ingestion.now) {
                true => Some(self.require_connection(team, arrival.user_id, &arrival.provider)?),
                false => None,
            };
            let source = payload::source(&arrival.provider, &arrival.source, details.as_ref());
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::daily_deleted(envelope, &arrival.resource, deleted, source)?)
            })?;
            events += 1;
        }
        Ok(events)
    }

    /// Stores the values of an arrival at the wanted indices.
    pub(crate) fn keep(
        &self,
        user_row: UserRow,
        completed: &Completed<'_>,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<(), StoreError> {
        let arrival = &*completed.arrival;
        match &completed.kept {
            Kept::Nothing => Ok(()),
            Kept::Summaries(summaries) => {
                let values = summaries.iter().zip(&arrival.data).enumerate();
                let wanted: Vec<_> = values
                    .filter(|(index, _)| is_wanted(*index))
                    .map(|(_, of)| of)
                    .collect();
                let moved = wanted
                    .iter()
                    .map(|(summary, _)| *summary)
                    .filter(|summary| summary.moves);
                let left = self.days_of_summaries(user_row, &arrival.resource, moved)?;
                for (summary, value) in wanted {
                    self.put_summary(user_row, arrival, summary, value)?;
                }
                self.clear_summary_days((user_row, &arrival.provider, &arrival.resource), left)
            }
            Kept::Samples(samples) => {
                let wanted = samples.iter().enumerate().filter(|(index, _)| is_wanted(*index));
                let wanted: Vec<_> = wanted.map(|(_, sample)| sample.clone()).collect();
                let series = Series::of(user_row, arrival);
                self.put_samples(&series, wanted)
            }
        }
    }

    fn connection_made(
        &self,
        team: TeamId,
        user: &User,
        made: &ConnectionMade,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let slug = &made.provider.slug;
        let hash: [u8; 32] = Sha256::digest(encode("arrival", &made.provider)?).into();
        if self.made(team, made.user_id, slug)? == Some(hash) {
            return Ok(Ingested::Duplicate);
        }
        // Created again, at another time, it is another connection; and so it is after an error, which was an event,
        // too.
        let works = |connection: &ConnectedProvider| connection.status != ConnectionStatus::Error;
        let before = self.connection(team, made.user_id, slug)?;
        if before.is_none() {
            self.check_connection_count(self.require_user_row(team, made.user_id)?, slug)?;
        }
        let made_before = before.is_some_and(|before| {
            before.created_on == made.provider.created_on && (works(&before) || !works(&made.provider))
        });
        let outcome = self.changed(|| self.put_connection(team, made.user_id, &made.provider))?;
        self.set_made(team, made.user_id, slug, &hash)?;
        if !made_before {
            let with_source = ingestion.forms.connection_source.holds(ingestion.now);
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::connection_created(envelope, &made.provider, with_source).into())
            })?;
        }
        Ok(outcome)
    }

    fn connection_failed(
        &self,
        team: TeamId,
        user: &User,
        failed: &ConnectionFailed,
        ingestion: &Ingestion,
    ) -> Result<Ingested, StoreError> {
        let mut connection = self.require_connection(team, failed.user_id, &failed.provider)?;
        // Once, until the connection works again.
        let is_news = connection.status != ConnectionStatus::Error;
        connection.status = ConnectionStatus::Error;
        connection.error_details = Some(failed.error_details.clone());
        let outcome = self.changed(|| self.put_connection(team, failed.user_id, &connection))?;
        if outcome == Ingested::Taken {
            let user_row = self.require_user_row(team, failed.user_id)?;
            self.note_failure(user_row, &failed.provider, ingestion.now)?;
        }
        if is_news {
            self.emit(team, user, ingestion, |envelope| {
                Ok(payload::connection_failed(envelope, &failed.provider, &failed.error_details).into())
            })?;
        }
        Ok(outcome)
    }

    /// Marks the resource of arriving data as available. `connection` is None if it already shows that.
    pub(crate) fn set_available(
        &self,
        team: TeamId,
        arrival: &DataArrival,
        connection: Option<&ConnectedProvider>,
    ) -> Result<(), StoreError> {
        let Some(connection) = connection else { return Ok(()) };
        // From the end of the transaction on, the row of the user shows it, too.
        self.stale.borrow_mut().insert((team, arrival.user_id));
        let resource = &arrival.resource;
        let known = connection.resource_availability.get(resource);
        if known.is_some_and(|known| known.status == ResourceAvailabilityStatus::Available) {
            return Ok(());
        }
        let none = || ScopeSet::builder().required(Vec::new()).optional(Vec::new()).build();
        let scopes = match known {
            Some(known) => known.scope_requirements.clone(),
            None => ScopeRequirements::builder()
                .user_granted(none())
                .user_denied(none())
                .build(),
        };
        let available = ResourceAvailability::builder()
            .status(ResourceAvailabilityStatus::Available)
            .scope_requirements(scopes)
            .build();
        let mut connection = connection.clone();
        connection.resource_availability.insert(resource.clone(), available);
        self.note_connection(team, arrival.user_id, &connection)
    }

    /// Runs work, and returns whether it changed any row.
    fn changed(&self, work: impl FnOnce() -> Result<(), StoreError>) -> Result<Ingested, StoreError> {
        let before = self.connection.changes();
        work()?;
        Ok(match self.connection.changes() == before {
            true => Ingested::Duplicate,
            false => Ingested::Taken,
        })
    }

    pub(crate) fn require_connection(
        &self,
        team: TeamId,
        user_id: Uuid,
        slug: &str,
    ) -> Result<ConnectedProvider, StoreError> {
        let what = "connection between the user and the provider";
        self.connection(team, user_id, slug)?
            .ok_or(StoreError::Missing { what })
    }
}
