//! The write side.

use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_models::{CancellationReason, ConnectedProvider, Device, Event, Pipeline, User};

use crate::payload::Payload;
use crate::sql::Writer;
use crate::{
    Advance, Arrival, ClockReading, DestinationId, Envelope, EventRetention, Ingested, Ingestion, KeyRecord,
    LabAccountRecord, LabTestRecord, Lease, OrganisationId, ProviderRecord, Pruned, Record, StoreError, TeamId,
    TeamRecord, WebhookEndpoint,
};

/// One transaction of [`Store::write`](crate::Store::write).
///
/// Every `put` makes or replaces, and the same `put` twice changes nothing.
pub struct Write<'a> {
    writer: &'a Writer<'a>,
}

impl<'a> Write<'a> {
    pub(crate) fn new(writer: &'a Writer<'a>) -> Self {
        Self { writer }
    }

    fn writer(&self) -> Result<&'a Writer<'a>, StoreError> {
        self.writer.check_alive()?;
        Ok(self.writer)
    }

    /// Leaves a note in the store, for [`Store::meta`](crate::Store::meta).
    pub fn put_meta(&mut self, name: &str, value: &str) -> Result<(), StoreError> {
        self.writer()?.put_meta(name, value)
    }

    /// Leaves a note in the store unless one of this name is there, and returns the one that is there afterwards.
    ///
    /// For what must be made once, like a secret: of several processes that do this, one makes it, and all of them
    /// get the same.
    pub fn put_meta_if_absent(&mut self, name: &str, value: &str) -> Result<String, StoreError> {
        self.writer()?.put_meta_if_absent(name, value)
    }

    /// A note that was left in the store, in this transaction or before.
    pub fn meta(&mut self, name: &str) -> Result<Option<String>, StoreError> {
        self.writer()?.meta(name)
    }

    /// Whether the store holds nothing but notes, with what this transaction wrote.
    pub fn is_empty(&mut self) -> Result<bool, StoreError> {
        self.writer()?.is_empty()
    }

    /// Does some of the writing so that a failure of it takes back that part alone.
    pub fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.writer()?.savepoint()?;
        let result = work(self);
        match result {
            Ok(_) => self.writer.keep()?,
            Err(_) => self.writer.take_back()?,
        }
        result
    }

    /// Puts a record.
    pub fn put(&mut self, record: &Record) -> Result<(), StoreError> {
        match record {
            Record::Organisation(organisation) => self.put_organisation(&organisation.org_id).map(drop),
            Record::Team(team) => self.put_team(team).map(drop),
            Record::Key(key) => self.put_key(key),
            Record::Provider(provider) => self.put_provider(provider),
            Record::CancellationReason(reason) => self.put_cancellation_reason(reason),
            Record::LabTest(test) => self.put_lab_test(test),
            Record::LabAccount(account) => self.put_lab_account(account),
            Record::Pipeline(pipeline) => self.put_pipeline(self.writer()?.known_team(pipeline.team_id)?, pipeline),
            Record::User(user) => self.put_user(self.writer()?.known_team(user.team_id)?, user),
            Record::Connection(connection) => {
                let team = self.writer()?.known_team(connection.team_id)?;
                self.put_connection(team, connection.user_id, &connection.provider)
            }
            Record::Device(device) => self.put_device(self.writer()?.known_team(device.team_id)?, &device.device),
        }
    }

    /// Takes an arrival: what it changes and the events that it causes are kept together.
    ///
    /// The same arrival twice changes nothing and causes nothing. One that fails may have written a part: where the
    /// transaction goes on, take it within an [attempt](Self::attempt).
    pub fn ingest(&mut self, arrival: &Arrival, ingestion: &Ingestion) -> Result<Ingested, StoreError> {
        self.writer()?.ingest(arrival, ingestion)
    }

    /// Writes an event about a user into the log, one that no arrival causes. Nothing else changes.
    ///
    /// `event` builds it from what every event has around its data.
    pub fn log(
        &mut self,
        team: TeamId,
        user_id: Uuid,
        ingestion: &Ingestion,
        event: impl FnOnce(Envelope) -> Result<Event, StoreError>,
    ) -> Result<(), StoreError> {
        let writer = self.writer()?;
        let user = writer.known_user(team, user_id)?;
        writer.emit(team, &user, ingestion, |envelope| event(envelope).map(Payload::from))
    }

    /// An endpoint of webhooks.
    pub fn webhook(&mut self, id: &str) -> Result<Option<WebhookEndpoint>, StoreError> {
        self.writer()?.webhook(id)
    }

    /// Puts an endpoint of webhooks.
    pub fn put_webhook(&mut self, webhook: &WebhookEndpoint) -> Result<(), StoreError> {
        self.writer()?.put_webhook(webhook)
    }

    /// Deletes an endpoint of webhooks, with what it was not sent yet. False if there is none.
    pub fn delete_webhook(&mut self, id: &str) -> Result<bool, StoreError> {
        self.writer()?.delete_webhook(id)
    }

    /// The destination of a team and kind, of a webhook where it is one. A new one gets the events from now on.
    pub fn destination(
        &mut self,
        team: TeamId,
        kind: &str,
        webhook_id: Option<&str>,
    ) -> Result<DestinationId, StoreError> {
        self.writer()?.destination(team, kind, webhook_id)
    }

    /// Sees that a lease holds until the transaction ends.
    ///
    /// # Errors
    ///
    /// [`StoreError::Superseded`] where another process has taken over.
    pub fn hold(&mut self, lease: &Lease) -> Result<(), StoreError> {
        self.writer()?.hold(lease)
    }

    /// Keeps how far a destination came.
    pub fn advance(
        &mut self,
        destination: DestinationId,
        advance: &Advance,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.writer()?.advance(destination, advance, now)
    }

    /// Has an event sent again, wherever it was sent before; returns to how many destinations, if there is the event.
    pub fn replay(&mut self, event_id: &str, now: DateTime<Utc>) -> Result<Option<usize>, StoreError> {
        self.writer()?.replay(event_id, now)
    }

    /// Has all that is parked sent again, of one team or of all; returns how much.
    pub fn replay_parked(&mut self, team_id: Option<Uuid>, now: DateTime<Utc>) -> Result<usize, StoreError> {
        self.writer()?.replay_parked(team_id, now)
    }

    /// The time by which retention decides what is old: that of the clock, but no further on than processes have
    /// really run since the store was told last. The store keeps it.
    ///
    /// Where it is behind the clock, the clock has jumped, or no process ran for a while: nothing tells which.
    pub fn retention_time(&mut self, reading: &ClockReading) -> Result<DateTime<Utc>, StoreError> {
        self.writer()?.retention_time(reading)
    }

    /// Has retention count from what the clock shows, since somebody says that it is right.
    pub fn set_retention_time(&mut self, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.writer()?.set_retention_time(now)
    }

    /// Looks at `limit` events after a place in the log, and deletes those that are no longer kept.
    pub fn prune(&mut self, retention: &EventRetention, after: i64, limit: usize) -> Result<Pruned, StoreError> {
        self.writer()?.prune(retention, after, limit)
    }

    /// Deletes the historical pulls that wait for chunks of which none has come since a time, with the values that they
    /// hold. Returns how many.
    pub fn delete_unfinished_pulls(&mut self, since: DateTime<Utc>) -> Result<usize, StoreError> {
        self.writer()?.delete_unfinished_pulls(since)
    }

    /// Puts an organisation.
    pub fn put_organisation(&mut self, id: &str) -> Result<OrganisationId, StoreError> {
        self.writer()?.put_organisation(id)
    }

    /// Puts a team. A team never changes its organisation.
    pub fn put_team(&mut self, team: &TeamRecord) -> Result<TeamId, StoreError> {
        self.writer()?.put_team(team)
    }

    /// A team that was put before.
    pub fn team(&mut self, team_id: Uuid) -> Result<Option<TeamId>, StoreError> {
        self.writer()?.team(team_id)
    }

    /// Puts a key. The store keeps a hash of it only; it never changes its owner, and stays revoked once it is.
    pub fn put_key(&mut self, key: &KeyRecord) -> Result<(), StoreError> {
        self.writer()?.put_key(key)
    }

    /// Revokes the key that has an [id](crate::KeyInfo::id), for good. False if there is no such key.
    pub fn revoke_key(&mut self, id: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        self.writer()?.revoke_key(id, now)
    }

    /// Puts a link token of a team. The store keeps a hash of it only.
    pub fn put_link_token(&mut self, team: TeamId, token: &str, expires: DateTime<Utc>) -> Result<(), StoreError> {
        self.writer()?.put_link_token(team, token, expires)
    }

    /// Deletes the link tokens that are expired at a time, and returns how many.
    pub fn delete_link_tokens(&mut self, expired_at: DateTime<Utc>) -> Result<usize, StoreError> {
        self.writer()?.delete_link_tokens(expired_at)
    }

    /// Puts a user. Their `connected_sources` are not taken from here: they follow from the connections.
    pub fn put_user(&mut self, team: TeamId, user: &User) -> Result<(), StoreError> {
        self.writer()?.put_user(team, user)
    }

    /// Deletes a user and all that hangs on them. False if the team has no such user.
    ///
    /// [`Store::forget`](crate::Store::forget) also takes their traces from the store's files.
    pub fn delete_user(&mut self, team: TeamId, user_id: Uuid) -> Result<bool, StoreError> {
        self.writer()?.delete_user(team, user_id)
    }

    /// Puts a connection of a user, one for each provider, and keeps the user's `connected_sources` in step.
    pub fn put_connection(
        &mut self,
        team: TeamId,
        user_id: Uuid,
        connection: &ConnectedProvider,
    ) -> Result<(), StoreError> {
        self.writer()?.put_connection(team, user_id, connection)
    }

    /// Puts a device of a user.
    pub fn put_device(&mut self, team: TeamId, device: &Device) -> Result<(), StoreError> {
        self.writer()?.put_device(team, device)
    }

    /// Puts the pipeline of a team. Its organisation, environment and region are the team's.
    pub fn put_pipeline(&mut self, team: TeamId, pipeline: &Pipeline) -> Result<(), StoreError> {
        self.writer()?.put_pipeline(team, pipeline)
    }

    /// The pipeline of a team, with its secrets.
    pub fn pipeline(&mut self, team: TeamId) -> Result<Option<Pipeline>, StoreError> {
        self.writer()?.pipeline(team)
    }

    /// Puts a provider into the catalogue.
    pub fn put_provider(&mut self, provider: &ProviderRecord) -> Result<(), StoreError> {
        self.writer()?.put_provider(provider)
    }

    /// Puts a lab test with all its markers. A marker that several tests have is the same in all of them.
    pub fn put_lab_test(&mut self, test: &LabTestRecord) -> Result<(), StoreError> {
        self.writer()?.put_lab_test(test)
    }

    /// Puts a lab account of a team, with all that it may see.
    pub fn put_lab_account(&mut self, account: &LabAccountRecord) -> Result<(), StoreError> {
        self.writer()?.put_lab_account(account)
    }

    /// Puts a reason for cancelling an appointment.
    pub fn put_cancellation_reason(&mut self, reason: &CancellationReason) -> Result<(), StoreError> {
        self.writer()?.put_cancellation_reason(reason)
    }
}

impl fmt::Debug for Write<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Write").finish_non_exhaustive()
    }
}
