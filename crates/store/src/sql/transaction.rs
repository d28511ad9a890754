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
/// Every `put` makes or replaces, and the same `put` twice changes nothing.
pub struct Transaction<'a> {
    pub(super) connection: &'a Connection<'a>,
    pub(super) seal: &'a Seal,
    pub(super) block_sizes: BlockSizes,
    /// Teams that are known to be there.
    pub(super) teams: RefCell<BTreeSet<TeamId>>,
    /// Teams that are known to be of an organisation.
    pub(super) owned_teams: RefCell<BTreeSet<(TeamId, OrganisationId)>>,
    /// The user whose row was looked up last: the child rows of a user come together as a rule.
    pub(super) last_user: Cell<Option<(TeamId, Uuid, UserRow)>>,
    /// The users whose connections changed, and whose documents do not show it yet.
    pub(super) stale: RefCell<BTreeSet<(TeamId, Uuid)>>,
    /// Prefetched users of the next arrivals. None for a missing user.
    pub(super) prefetched_users: RefCell<HashMap<(TeamId, Uuid), Option<StoredUser>>>,
    /// In how many parts it is. Each has a name of its own: a part that did not begin is not rolled back as another one.
    parts: Cell<usize>,
    /// True if rows were prefetched for arrivals.
    pub(super) has_prefetched_arrivals: Cell<bool>,
    /// Users who were inserted, and are not counted yet.
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

    /// Does some of the writing so that a failure of it rolls back that part alone. Parts nest.
    pub fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // So that those who wait to be counted are of this part from now on, and that what fails is.
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
            // What passes says why the transaction does not stand.
            return if error.is_transient() { result } else { Err(failed) };
        }
        result
    }

    fn rollback_part(&self, part: usize) -> Result<(), StoreError> {
        if self.connection.is_active().is_err() {
            // All of the transaction was rolled back already.
            return Ok(());
        }
        // What was put in this part is no longer there. Of the other notes, it does no harm to have too many.
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

    /// Writes what is left to the end. Fails where the engine has rolled back the transaction, as it does when the
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

    /// Writes an event about a user into the log, one that no arrival causes. Nothing else changes.
    ///
    /// `event` builds it from what every event has around its data.
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
