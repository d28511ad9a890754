//! A transaction that writes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::fmt;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use wearlab_ingest::payload::{Envelope, Payload};
use wearlab_models::Event;

use super::connection::Connection;
use super::users::order::{BlockSizes, RankKey};
use super::users::row::UserRow;
use super::users::stored_user::StoredUser;
use super::value::params;
use crate::seal::Seal;
use crate::{Ingestion, OrganisationId, Record, StoreError, TeamId};

/// One transaction of [`Store::write`](crate::Store::write).
///
/// Every `put` inserts or replaces, and is idempotent.
pub struct Transaction<'a> {
    pub(super) connection: &'a Connection<'a>,
    pub(super) seal: &'a Seal,
    pub(super) block_sizes: BlockSizes,
    /// Teams that exist.
    pub(super) teams: RefCell<BTreeSet<TeamId>>,
    /// Teams that belong to an organisation.
    pub(super) owned_teams: RefCell<BTreeSet<(TeamId, OrganisationId)>>,
    /// The user of the last row lookup: the child rows of a user usually follow each other.
    pub(super) last_user: Cell<Option<(TeamId, Uuid, UserRow)>>,
    /// Users whose connections changed, and whose documents are not updated yet.
    pub(super) stale: RefCell<BTreeSet<(TeamId, Uuid)>>,
    /// Prefetched users of the next arrivals. None for a missing user.
    pub(super) prefetched_users: RefCell<HashMap<(TeamId, Uuid), Option<StoredUser>>>,
    /// Current depth of nested parts, each with a name of its own: a part that did not begin is not rolled back as
    /// another one.
    parts: Cell<usize>,
    /// True if rows were prefetched for arrivals.
    pub(super) has_prefetched_arrivals: Cell<bool>,
    /// Inserted users that are not counted yet.
    pub(super) entering: RefCell<BTreeSet<(TeamId, RankKey)>>,
    /// Number of arrival ids that were stored, and the time of the last one.
    pub(super) remembered: Cell<Option<(i64, DateTime<Utc>)>>,
    /// True if a key was put or revoked.
    pub(super) keys_changed: &'a Cell<bool>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(
        connection: &'a Connection<'a>,
        seal: &'a Seal,
        block_sizes: BlockSizes,
        keys_changed: &'a Cell<bool>,
    ) -> Self {
        Self {
            connection,
            seal,
            block_sizes,
            teams: RefCell::default(),
            owned_teams: RefCell::default(),
            last_user: Cell::new(None),
            stale: RefCell::default(),
            prefetched_users: RefCell::default(),
            parts: Cell::new(0),
            has_prefetched_arrivals: Cell::new(false),
            entering: RefCell::default(),
            remembered: Cell::new(None),
            keys_changed,
        }
    }

    /// Runs a part of the writes, whose failure rolls back that part alone. Parts nest.
    pub fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // Waiting users and failed statements from here on then belong to this part.
        self.count_entered()?;
        self.connection.flush()?;
        let part = self.parts.get();
        self.parts.set(part + 1);
        self.connection
            .execute_pipelined(&format!("SAVEPOINT part_{part}"), params![])?;
        let result = work(self).and_then(|result| {
            self.connection
                .execute_pipelined(&format!("RELEASE part_{part}"), params![])?;
            self.connection.flush()?;
            Ok(result)
        });
        self.parts.set(part);
        if let Err(error) = &result
            && let Err(failed) = self.rollback_part(part)
        {
            // The error explains why the transaction is no longer active.
            return if error.is_transient() { result } else { Err(failed) };
        }
        result
    }

    fn rollback_part(&self, part: usize) -> Result<(), StoreError> {
        if self.connection.is_active().is_err() {
            // The whole transaction was already rolled back.
            return Ok(());
        }
        // The writes of this part are gone. Of the other caches, superfluous entries do no harm.
        self.teams.take();
        self.owned_teams.take();
        self.last_user.take();
        self.entering.take();
        self.clear_prefetched();
        self.connection
            .execute(&format!("ROLLBACK TO part_{part}"), params![])?;
        self.connection.execute(&format!("RELEASE part_{part}"), params![])?;
        Ok(())
    }

    /// Writes the remaining changes. Fails if the engine has rolled back the transaction, such as when the
    /// disk is full.
    pub(crate) fn finish(&self) -> Result<(), StoreError> {
        self.connection.is_active()?;
        self.refresh_sources()?;
        self.count_entered()?;
        self.forget_old_arrivals()?;
        self.connection.flush()
    }

    /// Puts a record.
    pub fn put(&self, record: &Record) -> Result<(), StoreError> {
        self.clear_prefetched_arrivals();
        match record {
            Record::Organisation(organisation) => self.put_organisation(&organisation.org_id).map(drop),
            Record::Team(team) => self.put_team(team).map(drop),
            Record::Key(key) => self.put_key(key),
            Record::Provider(provider) => self.put_provider(provider),
            Record::CancellationReason(reason) => self.put_cancellation_reason(reason),
            Record::LabTest(test) => self.put_lab_test(test),
            Record::LabAccount(account) => self.put_lab_account(account),
            Record::Pipeline(pipeline) => self.put_pipeline(self.require_team(pipeline.team_id)?, pipeline),
            Record::User(user) => self.put_user(self.require_team(user.team_id)?, user),
            Record::Connection(connection) => {
                let team = self.require_team(connection.team_id)?;
                self.put_connection_later(team, connection.user_id, &connection.provider)
            }
            Record::Device(device) => self.put_device_later(self.require_team(device.team_id)?, &device.device),
            Record::Order(order) => self.put_order_record(self.require_team(order.order.team_id)?, order),
            Record::Values(values) => self.put_values(values),
        }
    }

    /// Appends an event about a user to the log, without an arrival. Nothing else changes.
    ///
    /// `event` builds it from the common fields of events.
    pub fn log(
        &self,
        team: TeamId,
        user_id: Uuid,
        ingestion: &Ingestion,
        event: impl FnOnce(Envelope) -> Result<Event, StoreError>,
    ) -> Result<(), StoreError> {
        let user = self.require_user(team, user_id)?;
        self.emit(team, &user, ingestion, |envelope| event(envelope).map(Payload::from))
    }
}

impl fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").finish_non_exhaustive()
    }
}
